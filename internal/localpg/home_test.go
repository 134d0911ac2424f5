package localpg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func openTestHome(t *testing.T, dir string) *home {
	t.Helper()
	h, err := openHome(dir, ourAccount(t))
	require.NoError(t, err)
	t.Cleanup(h.release)
	return h
}

// As root the server's account lacks the way in, otherwise we lack it ourselves.
func TestStart_UnreachableDirectory(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(newDataDir(t), "closed")
	mode := os.FileMode(0o700)
	if os.Geteuid() != 0 {
		mode = 0o500
	}
	require.NoError(t, os.Mkdir(closed, mode))
	_, err := Start(t.Context(), Options{DataDir: filepath.Join(closed, "data")})
	var access *AccessError
	require.ErrorAs(t, err, &access)
	require.True(t, strings.HasPrefix(access.Path, closed), access.Path)
	if os.Geteuid() == 0 {
		require.Equal(t, closed, access.Path, "the directory to open is the outermost closed one")
	}
	require.Equal(t, ourAccount(t).name, access.User)
	require.NotContains(t, err.Error(), "\n")
}

func TestChooseAccount_OwnerOfAnExistingHomeWins(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		who := ourAccount(t)
		require.Equal(t, os.Geteuid(), who.uid)
		require.False(t, who.foreign)
		return
	}
	existing := newDataDir(t)
	require.NoError(t, os.Chown(existing, 4711, 4712))
	who, err := chooseAccount(existing)
	require.NoError(t, err)
	require.Equal(t, account{name: "4711", uid: 4711, gid: 4712, foreign: true}, who)

	require.NoError(t, os.Chown(existing, 0, 0))
	who, err = chooseAccount(existing)
	require.NoError(t, err)
	require.NotZero(t, who.uid)
	require.Contains(t, []string{"postgres", "nobody"}, who.name)
}

// The server's account owns the home, so it can put links there; as root we must
// not follow them to files that it may not touch.
func TestHome_LinksDoNotLeadOut(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	outside := filepath.Join(dir, "outside")
	require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
	h := openTestHome(t, dir)
	for _, name := range []string{passwordName, logName, logName + ".1"} {
		require.NoError(t, os.Symlink(outside, filepath.Join(h.path, name)))
	}
	_, err := h.password()
	require.Error(t, err)
	_, _, err = h.openLog()
	require.Error(t, err)
	require.NoError(t, h.replaceFile(passwordName, "new"))
	require.NoError(t, h.replaceFile(logName, strings.Repeat("x", 100)))
	require.NoError(t, h.rotateLog(100))
	content, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "precious", string(content))
}

func TestHome_LinkInPlaceOfItIsRefused(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, homeName)))
	_, err := openHome(dir, ourAccount(t))
	require.ErrorContains(t, err, "escapes")
}

func TestRotateLog_EmptiesInPlace(t *testing.T) {
	t.Parallel()
	h := openTestHome(t, newDataDir(t))
	log, offset, err := h.openLog()
	require.NoError(t, err)
	defer log.Close()
	require.Zero(t, offset)
	_, err = log.WriteString("old line\n")
	require.NoError(t, err)

	require.NoError(t, h.rotateLog(1<<20))
	require.Equal(t, "old line\n", h.logSince(0), "below the limit nothing happens")

	require.NoError(t, h.rotateLog(9))
	_, err = log.WriteString("new line\n") // through the descriptor that the server would hold
	require.NoError(t, err)
	require.Equal(t, "new line\n", h.logSince(0))
	previous, err := os.ReadFile(h.logPath() + ".1")
	require.NoError(t, err)
	require.Equal(t, "old line\n", string(previous))
}

func TestComplaint(t *testing.T) {
	t.Parallel()
	output := "2026 [7] LOG:  starting\n2026 [8] PANIC:  could not locate a valid checkpoint record\n" +
		"2026 [9] FATAL:  the database system is starting up\n2026 [7] LOG:  shutting down\n"
	require.Equal(t, "could not locate a valid checkpoint record", complaint(output, os.ErrClosed))
	require.Equal(t, "file already closed", complaint("nothing to see\n", os.ErrClosed))
}
