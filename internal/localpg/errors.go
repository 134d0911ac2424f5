package localpg

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrNoBinaries means that no PostgreSQL server that we can use is installed.
var ErrNoBinaries = errors.New("no PostgreSQL 15 or newer is installed: " +
	"run `apt-get install postgresql`, or set DATABASE_URL to a server of yours")

// ErrNoAccount means that we are root, which PostgreSQL refuses to run as, on a
// machine without a user to run it as.
var ErrNoAccount = errors.New("PostgreSQL cannot run as root, and there is no user postgres or nobody: " +
	"run `adduser --system postgres`, or run Malote as another user")

// InUseError means that another Malote holds the data directory.
type InUseError struct {
	Path string
	PID  int // 0 if the holder has not written it yet
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use by another Malote (pid %d): stop that one, or choose another --data-dir", e.Path, e.PID)
}

// VersionError means that the cluster needs binaries of a major version that is
// not installed, or that Malote no longer supports.
type VersionError struct {
	Path      string
	Cluster   int   // major version that made the cluster
	Installed []int // usable major versions, newest first
}

func (e *VersionError) Error() string {
	made := fmt.Sprintf("the cluster in %s was made by PostgreSQL %d", e.Path, e.Cluster)
	if e.Cluster < oldestMajor {
		return fmt.Sprintf("%s, and Malote needs %d or newer: convert it with pg_upgrade", made, oldestMajor)
	}
	installed := make([]string, len(e.Installed))
	for i, major := range e.Installed {
		installed[i] = strconv.Itoa(major)
	}
	line := fmt.Sprintf("%s, but installed is %s: run `apt-get install postgresql-%d`",
		made, strings.Join(installed, ", "), e.Cluster)
	if slices.Max(e.Installed) > e.Cluster {
		line += ", or convert it with pg_upgrade"
	}
	return line
}

// AccessError means that the account which is to run PostgreSQL cannot use a
// directory that it needs.
type AccessError struct {
	Path string // the outermost directory that is closed to the account
	User string
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("PostgreSQL would run as user %s, who may not use %s: "+
		"choose another --data-dir, such as /var/lib/malote, or let that user into this one", e.User, e.Path)
}

// StartError means that initdb failed, or that the server ended before it
// accepted connections.
type StartError struct {
	Program string // "initdb" or "postgres"
	Reason  string // its own last complaint
	LogPath string // empty for initdb
}

func (e *StartError) Error() string {
	line := fmt.Sprintf("%s failed: %s", e.Program, e.Reason)
	if e.LogPath != "" {
		line += " (log: " + e.LogPath + ")"
	}
	return line
}

// CrashError means that the server ended while it should have been running. The
// directory is released: Start may be called again.
type CrashError struct {
	State   string // how it ended, such as "signal: killed"
	LogPath string
}

func (e *CrashError) Error() string {
	return fmt.Sprintf("PostgreSQL stopped by itself (%s); log: %s", e.State, e.LogPath)
}
