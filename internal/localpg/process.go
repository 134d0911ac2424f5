package localpg

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a server that we started.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when it was reaped
	state  error         // cmd.Wait's; may be read after exited
}

// launch starts a command on a thread that lives as long as the command: a
// signal set by dieWithUs is sent when the forking thread dies, and the runtime
// ends idle threads as it likes.
func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.state = cmd.Wait()
			close(p.exited)
		}
	}()
	return p, <-started
}

// ended tells how the process ended.
func (p *process) ended() string {
	if p.state == nil {
		return "exit status 0"
	}
	return p.state.Error()
}

// PostgreSQL's three ways to stop, and how long each may take. The postmaster
// itself kills what survives an immediate shutdown for 5 s.
const (
	fastShutdown      = syscall.SIGINT
	immediateShutdown = syscall.SIGQUIT

	fastPatience      = 15 * time.Second
	immediatePatience = 8 * time.Second
	killPatience      = 5 * time.Second
)

var errImmortal = errors.New("PostgreSQL did not die of SIGKILL")

// shutDown stops a postmaster and returns when it is gone. The end of ctx cuts
// only the patience with the fast shutdown.
func shutDown(ctx context.Context, signal func(os.Signal) error, gone <-chan struct{}) error {
	hurry := ctx.Done()
	for _, step := range []struct {
		signal   syscall.Signal
		patience time.Duration
	}{
		{fastShutdown, fastPatience},
		{immediateShutdown, immediatePatience},
		{syscall.SIGKILL, killPatience},
	} {
		_ = signal(step.signal) // fails only if it is gone, and then so says the channel
		timer := time.NewTimer(step.patience)
		select {
		case <-gone:
			timer.Stop()
			return nil
		case <-timer.C:
		case <-hurry:
			timer.Stop()
		}
		hurry = nil
	}
	return errImmortal
}
