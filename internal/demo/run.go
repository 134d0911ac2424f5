package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// What Run can end with besides not being able to do its work; test with
// errors.Is.
var (
	// ErrUnaccounted: something is lost, invented, changed or unexplained.
	ErrUnaccounted = errors.New("not everything is accounted for")
	// ErrTooSlow: a healthy endpoint waited longer than it may.
	ErrTooSlow = errors.New("a healthy endpoint had to wait too long")
	// ErrInterrupted: the context ended first.
	ErrInterrupted = errors.New("the demo was interrupted")
)

// demo is one run.
type demo struct {
	options  Options
	run      string // names it; no other run has the same
	client   *client
	ledger   *ledger
	progress *progress
	boards   chan *board // the newest one
	stage    *stage
	summary  Summary
}

// Run plays the demo and prints what it came to. The error says whether that is
// as it must be; the summary is as complete as the run. When ctx ends it stops,
// prints a short summary and returns ErrInterrupted.
func Run(ctx context.Context, options Options) (Summary, error) {
	if err := options.complete(); err != nil {
		return Summary{}, err
	}
	d := &demo{
		options: options, run: strings.ToLower(rand.Text()[:6]), ledger: newLedger(), progress: &progress{},
		client: newClient(options.BaseURL, options.AdminKey, 2*options.Publishers+2),
		boards: make(chan *board, 1),
	}
	defer d.client.close()
	began := time.Now()
	err := d.play(ctx)
	switch {
	case err == nil:
		err = d.summary.verdict()
	case ctx.Err() != nil:
		err = ErrInterrupted
		d.summary = d.unfinished()
	default:
		return d.summary, err
	}
	d.summary.Seconds = time.Since(began).Seconds()
	_, _ = io.WriteString(options.Out, d.summary.text(paletteFor(options.Terminal))) // a closed pipe does not change the verdict
	return d.summary, err
}

// play is the demo from beginning to end, being watched meanwhile. The receivers
// outlive ctx until everything else has stopped.
func (d *demo) play(ctx context.Context) error {
	receiving, close := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		close()
		if d.stage != nil {
			_ = d.stage.receivers.Wait() // a receiver that failed shows in the accounting
		}
	}()
	watching := d.watch(ctx)
	defer watching()
	for _, act := range []func(context.Context) error{
		func(ctx context.Context) error { return d.setUp(ctx, receiving) },
		d.publish,
		d.drain,
		d.account,
	} {
		if err := act(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// watch shows the demo until the function that it returns is called.
func (d *demo) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watcher{
		client: d.client, progress: d.progress, screen: newScreen(d.options), rhythm: d.options.refresh,
		began: time.Now(), boards: d.boards,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (d *demo) setUp(ctx, receiving context.Context) (err error) {
	roles := 0
	for _, t := range cast {
		roles += len(t.roles)
	}
	d.progress.set(settingUp, 0, "")
	d.stage, err = setUp(ctx, receiving, d.client, d.run, d.options.Policy, func(endpoints int) {
		d.progress.set(settingUp, float64(endpoints)/float64(roles), fmt.Sprintf("%d of %d endpoints", endpoints, roles))
	})
	if err != nil {
		return err
	}
	d.progress.raise(d.stage)
	return nil
}

// publish publishes everything at the rate asked for.
func (d *demo) publish(ctx context.Context) error {
	t := traffic{
		run: d.run, seed: d.options.Seed, rate: d.options.Rate, events: d.options.events(), tenants: d.stage.tenants,
	}
	d.ledger.watch(func(events int) {
		d.progress.set(publishing, float64(events)/float64(t.events),
			fmt.Sprintf("%s of %s events at %d a second", grouped(events), grouped(t.events), t.rate))
	})
	return publishers{client: d.client, ledger: d.ledger, number: d.options.Publishers}.run(ctx, t)
}

// drain waits until everything is delivered that can be, but not for ever.
func (d *demo) drain(ctx context.Context) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, d.options.Drain)
	defer cancel()
	for {
		waited := time.Since(began)
		d.progress.set(draining, waited.Seconds()/d.options.Drain.Seconds(),
			fmt.Sprintf("waiting at most %s for what can still be delivered", short(d.options.Drain)))
		select {
		case <-ctx.Done():
			return nil // what is left is accounted for
		case b := <-d.boards:
			if b.at.After(began) && b.trouble == "" && b.settled() {
				return nil
			}
		}
	}
}

// account accounts for everything. What looks wrong is looked at twice: the API
// and the receivers cannot be asked at the same instant.
func (d *demo) account(ctx context.Context) error {
	for look := 1; ; look++ {
		found, err := gather(ctx, d.client, d.stage, d.ledger, func(tenants int) {
			d.progress.set(accounting, float64(tenants)/float64(len(d.stage.tenants)),
				fmt.Sprintf("events and deliveries of %d of %d tenants", tenants, len(d.stage.tenants)))
		})
		if err != nil {
			return err
		}
		judged := judge(found)
		if len(judged.faults) == 0 || look == 2 {
			d.summary = summarise(found, judged, d.ledger, d.options.MaxP99)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d.options.secondLook):
		}
	}
}

// unfinished sums up a demo that was interrupted.
func (d *demo) unfinished() Summary {
	found := &evidence{entries: d.ledger.snapshot()}
	if d.stage != nil {
		for _, e := range d.stage.endpoints {
			found.witnesses = append(found.witnesses, e.testify())
		}
	}
	s := summarise(found, judgement{}, d.ledger, d.options.MaxP99)
	s.OK, s.Interrupted, s.Faults, s.Verdict = false, true, nil, ErrInterrupted.Error()
	return s
}

// verdict is the summary as an error.
func (s *Summary) verdict() error {
	if s.OK {
		return nil
	}
	for _, f := range s.Faults {
		if f.Kind != TooSlow {
			return fmt.Errorf("%w: %s", ErrUnaccounted, s.Verdict)
		}
	}
	return fmt.Errorf("%w: %s", ErrTooSlow, s.Verdict)
}
