//go:build unix && !linux

package localpg

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// Without /proc and death signals we know less: the pid in the pid file is
// believed, and backends that survive their postmaster are left to PostgreSQL,
// which refuses to start beside them.

func dieWithUs(*exec.Cmd, syscall.Signal) {}

func servesFrom(pid int, _ fs.FileInfo) bool { return syscall.Kill(pid, 0) == nil }

func serversOf(fs.FileInfo) []int { return nil }
