package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one malote serve, or a peer.
type process struct {
	command *exec.Cmd
	url     string
	log     *os.File
	exited  chan struct{}
}

const adminKey = "bench-admin-key-of-a-stage-0001"

// isReady is in the line that a process prints when it is, before its address.
const isReady = " is ready at "

// startProcess returns when the process is ready.
func startProcess(ctx context.Context, command []string, d *database, number, maxInFlight int) (*process, error) {
	log, err := os.Create(filepath.Join(d.dir, fmt.Sprintf("process-%d.log", number)))
	if err != nil {
		return nil, fmt.Errorf("making a log: %w", err)
	}
	p := &process{log: log, exited: make(chan struct{})}
	// Not bound to ctx: it is to end in order.
	p.command = exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	p.command.Env = append(environment(), "DATABASE_URL="+d.url, "MALOTE_ADMIN_KEY="+adminKey, "MALOTE_BENCH_MAX_IN_FLIGHT="+strconv.Itoa(maxInFlight))
	p.command.Dir = d.dir // where no malote.yaml is
	p.command.Stderr = log
	p.command.SysProcAttr = apart()
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", command[0], err)
	}
	if err := p.command.Start(); err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("starting %s: %w", command[0], err)
	}
	ready := make(chan string, 1)
	go p.read(stdout, ready)
	return p, p.awaitReady(ctx, ready)
}

// environment is ours without what would configure a Malote.
func environment() []string {
	var kept []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name != "DATABASE_URL" && (!strings.HasPrefix(name, "MALOTE_") || strings.HasPrefix(name, "MALOTE_TEST_")) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// read gives the address to ready, and reads on until the process has ended.
func (p *process) read(stdout io.Reader, ready chan<- string) {
	defer close(p.exited)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, rest, found := strings.Cut(lines.Text(), isReady); found {
			address, _, _ := strings.Cut(rest, " ")
			ready <- address
			break
		}
	}
	_, _ = io.Copy(io.Discard, stdout)
	_ = p.command.Wait() // how it ended is in its log
}

func (p *process) awaitReady(ctx context.Context, ready <-chan string) error {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case p.url = <-ready:
		return nil
	case <-p.exited:
		said, _ := os.ReadFile(p.log.Name())
		_ = p.log.Close()
		return fmt.Errorf("%s did not start: %s", filepath.Base(p.command.Path), strings.TrimSpace(string(said)))
	case <-timeout.C:
		p.stop()
		return fmt.Errorf("%s was not ready after %s", filepath.Base(p.command.Path), patience)
	case <-ctx.Done():
		p.stop()
		return ctx.Err()
	}
}

// stop has it end in order, or else at once.
func (p *process) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM) // fails only if it is gone
	timeout := time.NewTimer(patience / 2)
	defer timeout.Stop()
	select {
	case <-p.exited:
	case <-timeout.C:
		_ = p.command.Process.Kill()
		<-p.exited
	}
	_ = p.log.Close()
}

// rssMost is the most memory that it was ever resident with, in bytes.
func (p *process) rssMost() (int64, error) {
	var kilobytes int64
	text := fieldOf(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid), "VmHWM")
	if _, err := fmt.Sscanf(text, "%d kB", &kilobytes); err != nil {
		return 0, errors.New("this system does not tell a process's memory: measure on Linux")
	}
	return kilobytes << 10, nil
}
