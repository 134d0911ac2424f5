package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

// recoveryWaitFlags say whether a command stays until a recovery has ended.
type recoveryWaitFlags struct {
	Wait *bool `help:"Stay until it has ended, and exit with 1 if it failed or was cancelled." negatable:"" env:"-" own:""`
}

// waits says so, where it is not said, of a person at a terminal.
func (f *recoveryWaitFlags) waits(env *environment) bool {
	if f.Wait != nil {
		return *f.Wait
	}
	return isTerminal(env.stderr)
}

const (
	lookAtRecovery = 500 * time.Millisecond
	// awayForLong is how long a server may be away, as during a restart: the job
	// is in the database, and goes on.
	awayForLong = 2 * time.Minute
)

// await looks until the recovery has ended, and shows it then.
func (f *oneFlags) await(env *environment, c *connection, r recoveryView, got *client.Response) error {
	progress := env.progress(r.progress())
	defer progress.stop()
	for answered := time.Now(); r.running(); {
		if !sleep(env.ctx, lookAtRecovery) {
			return r.goesOn(errInterrupted)
		}
		next, latest, err := fetch[recoveryView](c, client.Request{Method: http.MethodGet, Path: recoveriesPath + client.Path(r.id())})
		switch {
		case errors.Is(err, errInterrupted) || isRefusal(err) || err != nil && time.Since(answered) > awayForLong:
			return r.goesOn(err)
		case err != nil:
			progress.say("waiting for %s, which does not answer", c.base.Host)
		default:
			r, got, answered = next, latest, time.Now()
			progress.say("%s", r.progress())
		}
	}
	progress.stop()
	if err := f.showRecovery(env, r, got); err != nil {
		return err
	}
	if r.status() != recoveryDone {
		return fmt.Errorf("the recovery did not end well: it is %s", r.outcome())
	}
	return nil
}

func (r recoveryView) progress() string {
	return "recovering " + bar(r.Recovered+r.PassedOver, r.Total)
}

// goesOn says that the recovery does, although the watching ends.
func (r recoveryView) goesOn(err error) error {
	return fmt.Errorf("%w; the recovery goes on by itself: malote endpoints recovery %s --wait watches it again, with --cancel stops it", err, r.id())
}
