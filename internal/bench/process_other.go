//go:build unix && !linux

package bench

import "syscall"

// apart keeps ^C from a process, which is told by us, in order.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
