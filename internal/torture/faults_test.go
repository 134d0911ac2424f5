//go:build linux

package torture_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/torture"
)

// suffer does a schedule's faults, each at its time, and returns when all of them
// are over and undone.
func (w *world) suffer(plan []torture.Fault, publishers *publishers) {
	var under sync.WaitGroup
	for _, fault := range plan {
		wait(w.t.Context(), fault.At-time.Since(w.receivers.began))
		under.Go(func() {
			if err := w.do(fault, publishers); err != nil {
				progress("  could not do it: %v: %v", fault, err)
			}
		})
	}
	under.Wait()
}

func (w *world) do(f torture.Fault, publishers *publishers) error {
	progress("  %v", f)
	ctx := w.t.Context()
	switch f.Kind {
	case torture.Kill, torture.Stop, torture.Pause, torture.PauseLong:
		w.hurtProcess(f, publishers)
	case torture.LoseCommit, torture.LoseAnswer, torture.Cut, torture.HalfOpen, torture.Stall:
		w.hurtNetwork(ctx, f)
	case torture.Crash, torture.Terminate, torture.DiskFull, torture.ReadOnly:
		return w.hurtDatabase(ctx, f)
	case torture.Name:
		return w.loseName(ctx, f)
	case torture.TLS:
		w.secure.fault.Store(int32(1 + f.Manner%tlsFaults))
		w.secure.server.SetKeepAlivesEnabled(false) // or nobody would shake hands
		wait(ctx, f.For)
		w.secure.fault.Store(0)
		w.secure.server.SetKeepAlivesEnabled(true)
	case torture.Misbehave:
		r := w.receivers.byName[f.Target]
		if r == nil {
			return fmt.Errorf("%w: %s", errNoReceiver, f.Target)
		}
		r.manner.Store(int32(1 + f.Manner%len(manners)))
		wait(ctx, f.For)
		r.manner.Store(0)
	case torture.Burst:
		publishers.haste.Add(9)
		wait(ctx, f.For)
		publishers.haste.Add(-9)
	}
	return nil
}

// hurtProcess: what runs is stopped in one of the ways in which processes stop.
func (w *world) hurtProcess(f torture.Fault, publishers *publishers) {
	p := w.processes[f.Target]
	p.busy.Lock()
	defer p.busy.Unlock()
	switch f.Kind {
	case torture.Kill:
		p.signal(syscall.SIGKILL)
	case torture.Stop:
		p.signal(syscall.SIGTERM)
	case torture.PauseLong:
		w.pauseLong(p, f, publishers)
	default:
		p.signal(syscall.SIGSTOP)
		wait(w.t.Context(), f.For)
		p.signal(syscall.SIGCONT)
	}
}

// pauseLong stops a worker that has much in flight, and has it go on when others
// have that in flight: receivers take their time at both moments. In a run that goes
// on for that long, publishers are mostly quiet in between, or what was in flight
// would wait behind what is new.
func (w *world) pauseLong(p *process, f torture.Fault, publishers *publishers) {
	ctx := w.t.Context()
	w.receivers.tardy.Store(true)
	defer w.receivers.tardy.Store(false)
	wait(ctx, deadline/2)
	p.signal(syscall.SIGSTOP)
	if f.Manner%4 > 0 && f.At+lease <= w.duration {
		publishers.hushed.Add(1)
		defer publishers.hushed.Add(-1)
	}
	wait(ctx, deadline/5)
	w.receivers.tardy.Store(false)
	wait(ctx, lease-2*deadline)
	w.receivers.tardy.Store(true)
	wait(ctx, f.For-lease+2*deadline-deadline/5)
	w.mu.Lock()
	w.resumes = append(w.resumes, time.Since(w.receivers.began))
	w.mu.Unlock()
	p.signal(syscall.SIGCONT)
	wait(ctx, deadline)
}

func (w *world) hurtNetwork(ctx context.Context, f torture.Fault) {
	link := w.processes[f.Target].proxy
	if f.Manner%7 == 0 {
		link = w.shopProxy // the application's network has bad days, too
	}
	switch f.Kind {
	case torture.LoseCommit:
		link.loseCommits.Add(int32(1 + f.Manner%4))
	case torture.LoseAnswer:
		link.loseAnswers.Add(int32(1 + f.Manner%4))
	case torture.Cut:
		link.cut()
	case torture.HalfOpen:
		link.silence(ctx, f.For)
	case torture.Stall:
		link.stalled.Store(int64(20*time.Millisecond) * int64(1+f.Manner%10))
		wait(ctx, f.For)
		link.stalled.Store(0)
	}
}

func (w *world) hurtDatabase(ctx context.Context, f torture.Fault) error {
	w.server.Lock()
	defer w.server.Unlock()
	switch f.Kind {
	case torture.Crash:
		// It stays away for longer than a deadline: claims of at-least-once deliveries
		// may be lost with the server's last moments, and are made again when it is
		// back. What was sent under the lost ones is over by then.
		at := time.Since(w.receivers.began)
		w.crashes = append(w.crashes, torture.Span{From: at, To: at})
		w.database.Kill()
		wait(ctx, f.For)
		w.startDatabase()
		return nil
	case torture.Terminate:
		condition := []string{`true`, `query ILIKE 'listen%'`, `state <> 'idle'`}[f.Manner%3]
		return w.asAdministrator(ctx, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND `+condition)
	case torture.ReadOnly:
		err := w.asAdministrator(ctx, `ALTER SYSTEM SET default_transaction_read_only = on`, `SELECT pg_reload_conf()`)
		wait(ctx, f.For)
		if undone := w.asAdministrator(context.WithoutCancel(ctx), `ALTER SYSTEM RESET default_transaction_read_only`, `SELECT pg_reload_conf()`); undone != nil {
			return undone
		}
		return err
	default:
		return w.fillDisk(ctx, f)
	}
}

func (w *world) asAdministrator(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, w.database.URL()+"&default_transaction_read_only=off")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // what it did is done
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// fillDisk lets no file of PostgreSQL grow for a while, nor the write-ahead log
// be written beyond where it is: what a process may write is limited (setrlimit),
// which PostgreSQL meets as it meets a full disk – an error where a table has to
// grow, a panic where the log has to. Then there is room again, and who crashed is
// started again.
func (w *world) fillDisk(ctx context.Context, f torture.Fault) error {
	processes, err := w.postgresProcesses()
	if err != nil {
		return err
	}
	span := torture.Span{From: time.Since(w.receivers.began)}
	defer func() {
		span.To = time.Since(w.receivers.began)
		w.crashes = append(w.crashes, span)
	}()
	limit := []string{"65536", "1048576", "8388608"}[f.Manner%3]
	for _, pid := range processes {
		_ = exec.Command("prlimit", "--pid", pid, "--fsize="+limit+":unlimited").Run() // it may have ended
	}
	select {
	case <-w.database.Done():
	case <-time.After(f.For):
	}
	if processes, err = w.postgresProcesses(); err == nil {
		for _, pid := range processes {
			_ = exec.Command("prlimit", "--pid", pid, "--fsize=unlimited:unlimited").Run()
		}
	}
	wait(ctx, time.Second) // one that panicked may yet give up
	select {
	case <-w.database.Done():
		w.startDatabase()
	default:
	}
	return nil
}

// postgresProcesses are the postmaster and its children; those born later have
// its limits.
func (w *world) postgresProcesses() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(w.dir, "database", "postgres", "data", "postmaster.pid"))
	if err != nil {
		return nil, err
	}
	master, _, _ := strings.Cut(string(text), "\n")
	children, err := os.ReadFile("/proc/" + master + "/task/" + master + "/children")
	if err != nil {
		return nil, err
	}
	return append([]string{master}, strings.Fields(string(children))...), nil
}

// loseName has an endpoint's name not resolve for a while.
func (w *world) loseName(ctx context.Context, f torture.Fault) error {
	_, err := w.call("PATCH", "/v1/webhook_endpoints/"+w.named, map[string]any{"url": "http://no-such-name.example.com/named"})
	wait(ctx, f.For)
	for {
		_, undone := w.call("PATCH", "/v1/webhook_endpoints/"+w.named, map[string]any{"url": w.address("named")})
		if undone == nil || ctx.Err() != nil {
			return err
		}
		wait(ctx, 100*time.Millisecond)
	}
}
