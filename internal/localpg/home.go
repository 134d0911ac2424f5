package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names in a home.
const (
	homeName     = "postgres"
	lockName     = "lock"
	passwordName = "password"
	dataName     = "data"
	unfinished   = "data.new" // initdb's target, until it has finished
	settingsName = "data/malote.conf"
	socketName   = "socket"
	logName      = "postgres.log"
)

// home is DATADIR/postgres, locked. Everything in it is reached through root,
// because its owner may be less trusted than we are.
type home struct {
	path      string // absolute
	root      *os.Root
	lock      *os.File
	who       account
	socketDir string // absolute; empty before makeSocketDir
	temporary string // the data directory to remove in the end, if it is ours alone
}

// openHome creates what is missing of dataDir/postgres and locks it. An empty
// dataDir asks for a temporary one.
func openHome(dataDir string, who account) (_ *home, err error) {
	h := &home{who: who}
	defer func() {
		if err != nil {
			h.release()
			err = errors.Join(err, h.removeTemporary())
		}
	}()
	if dataDir == "" {
		if dataDir, err = os.MkdirTemp("", "malote-postgres-"); err != nil {
			return nil, fmt.Errorf("creating a temporary data directory: %w", err)
		}
		h.temporary = dataDir
	}
	if dataDir, err = filepath.Abs(dataDir); err != nil {
		return nil, fmt.Errorf("resolving the data directory: %w", err)
	}
	h.path = filepath.Join(dataDir, homeName)
	if err := h.create(dataDir); err != nil {
		if errors.Is(err, fs.ErrPermission) && !who.foreign {
			return nil, &AccessError{Path: h.path, User: who.name}
		}
		return nil, fmt.Errorf("preparing %s: %w", h.path, err)
	}
	return h, h.takeLock()
}

func (h *home) create(dataDir string) error {
	mode := fs.FileMode(0o700)
	if h.who.foreign {
		mode = 0o711 // the account has to pass through
	}
	if err := os.MkdirAll(dataDir, mode); err != nil {
		return err
	}
	if h.temporary != "" {
		if err := os.Chmod(dataDir, mode); err != nil {
			return err
		}
	}
	parent, err := os.OpenRoot(dataDir)
	if err != nil {
		return err
	}
	defer parent.Close()
	if err := parent.Mkdir(homeName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if h.who.foreign {
		if err := parent.Lchown(homeName, h.who.uid, h.who.gid); err != nil {
			return err
		}
	}
	h.root, err = parent.OpenRoot(homeName)
	return err
}

// replaceFile writes a file anew, durably and for its owner's eyes only: what was there before, be it a link
// or a pipe, is removed and not opened.
func (h *home) replaceFile(name, content string) error {
	if err := h.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := h.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, h.give(file), file.Sync(), file.Close())
}

// give makes the account the owner of a file that we created.
func (h *home) give(file *os.File) error {
	if !h.who.foreign {
		return nil
	}
	return file.Chown(h.who.uid, h.who.gid)
}

// clusterMajor returns the major version of the cluster, 0 if there is none.
func (h *home) clusterMajor() (int, error) {
	content, err := h.root.ReadFile(filepath.Join(dataName, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("reading the cluster's version in %s: %w", h.path, err)
	}
	return major, nil
}

// release removes the socket's directory and lets the next Malote in. The server
// must be down.
func (h *home) release() {
	if h.socketDir != "" {
		_ = os.RemoveAll(h.socketDir) // the next start does it again
	}
	h.releaseLock()
	if h.root != nil {
		h.root.Close()
	}
}

func (h *home) removeTemporary() error {
	if h.temporary == "" {
		return nil
	}
	return os.RemoveAll(h.temporary)
}
