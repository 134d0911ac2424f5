package localpg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSocketPath is what sockaddr_un holds on every Unix (macOS has the least),
// with the closing NUL.
const maxSocketPath = 104

// makeSocketDir creates an empty directory for the socket, in place of the last
// one: what a crashed server left there (a socket, its lock file with a pid that
// is perhaps somebody else's by now) would only hinder the next. A home with too
// long a path gets a directory in /tmp; its name is a function of the home, so
// that the URL stays the same over restarts.
func (h *home) makeSocketDir() error {
	h.socketDir = filepath.Join(h.path, socketName)
	if len(h.socketDir)+len("/"+socketFile) < maxSocketPath && !strings.Contains(h.socketDir, ",") {
		if err := h.root.RemoveAll(socketName); err != nil {
			return fmt.Errorf("removing the old socket: %w", err)
		}
		if err := h.root.Mkdir(socketName, 0o700); err != nil {
			return fmt.Errorf("creating the socket's directory: %w", err)
		}
		if !h.who.foreign {
			return nil
		}
		return h.root.Lchown(socketName, h.who.uid, h.who.gid)
	}
	return h.makeShortSocketDir()
}

func (h *home) makeShortSocketDir() error {
	hash := sha256.Sum256([]byte(h.path))
	h.socketDir = fmt.Sprintf("/tmp/malote-%x", hash[:6])
	_ = os.RemoveAll(h.socketDir) // if it is somebody else's, Mkdir fails
	err := os.Mkdir(h.socketDir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		h.socketDir, err = os.MkdirTemp("/tmp", "malote-")
	}
	if err != nil {
		return fmt.Errorf("creating a short directory for the socket: %w", err)
	}
	if !h.who.foreign {
		return nil
	}
	return os.Lchown(h.socketDir, h.who.uid, h.who.gid)
}
