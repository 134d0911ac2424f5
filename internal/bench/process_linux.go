package bench

import "syscall"

// apart keeps ^C from a process, which is told by us, in order; and has the kernel
// end it should we be killed.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
