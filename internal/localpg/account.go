package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// account is the operating system's user that runs the server.
type account struct {
	name     string
	uid, gid int
	foreign  bool // we are root and it is not: children get its credential, files are given to it
}

// chooseAccount returns ourselves, unless we are root: then the owner of the
// existing home, else postgres, else nobody. The owner comes first so that a
// cluster made as nobody still opens after the postgres package was installed.
func chooseAccount(home string) (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{name: userName(uid), uid: uid, gid: os.Getegid()}, nil
	}
	if info, err := os.Stat(home); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 {
			uid := int(owner.Uid)
			return account{name: userName(uid), uid: uid, gid: int(owner.Gid), foreign: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{name: name, uid: uid, gid: gid, foreign: true}, nil
		}
	}
	return account{}, ErrNoAccount
}

func userName(uid int) string {
	if found, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return found.Username
	}
	return strconv.Itoa(uid)
}

// command prepares a program of the server's to run as the account, in dir, out
// of reach of our terminal's signals and of our environment: PG* variables that
// are meant for our user's clients must not change the server.
func (a account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.foreign {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// checkReach runs a program in dir as the account, which alone tells whether
// every parent directory lets it through (mode bits are not the whole truth:
// there are access control lists and security modules).
func (a account) checkReach(ctx context.Context, dir, program string) error {
	err := a.command(ctx, dir, program, "--version").Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, fs.ErrPermission) {
		return &AccessError{Path: a.firstClosed(dir), User: a.name}
	}
	if err != nil {
		return fmt.Errorf("running %s as user %s in %s: %w", program, a.name, dir, err)
	}
	return nil
}

// firstClosed returns the outermost parent of dir whose mode keeps the account
// out, or dir itself if modes don't explain it.
func (a account) firstClosed(dir string) string {
	path := string(filepath.Separator)
	for part := range strings.SplitSeq(dir, string(filepath.Separator)) {
		path = filepath.Join(path, part)
		info, err := os.Stat(path)
		if err != nil {
			return path
		}
		owner := info.Sys().(*syscall.Stat_t)
		search := fs.FileMode(0o001)
		switch {
		case int(owner.Uid) == a.uid:
			search = 0o100
		case int(owner.Gid) == a.gid:
			search = 0o010
		}
		if info.Mode()&search == 0 {
			return path
		}
	}
	return dir
}
