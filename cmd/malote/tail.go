package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/malotehq/malote/client"
)

type tailCommand struct {
	apiFlags
	Tenant   string        `help:"Only this tenant's." placeholder:"TENANT"`
	Events   bool          `help:"Follow events instead of deliveries; an admin key needs --tenant then."`
	Signals  bool          `help:"Follow signals instead: what somebody should hear of."`
	Interval time.Duration `help:"How often to look." default:"1s" own:"" env:"MALOTE_TAIL_INTERVAL"`
	JSON     bool          `name:"json" help:"Print the API's JSON, one object a line."`
}

// Help implements kong.HelpProvider.
func (tailCommand) Help() string {
	return `Prints a line for every new delivery and for every change of one, from now on, until ^C.

Example:
  malote tail --tenant acme`
}

// follower looks again and again and gives the lines that are new.
type follower interface{ poll() ([]string, error) }

// shortestInterval keeps a slip of the finger from becoming a load test.
const shortestInterval = 50 * time.Millisecond

// Run implements the command.
func (f *tailCommand) Run(env *environment) error {
	switch {
	case f.Interval < shortestInterval:
		return &usageError{fmt.Sprintf("--interval must be %s or more", shortestInterval)}
	case f.Events && f.Signals:
		return &usageError{"--events and --signals contradict each other: give one of them"}
	}
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	var following follower
	switch {
	case f.Events:
		following, err = followEvents(c, f.Tenant, f.JSON)
	case f.Signals:
		following, err = followSignals(c, f.Tenant, f.JSON)
	default:
		following, err = followDeliveries(c, f.Tenant, f.JSON)
	}
	if err == nil {
		fmt.Fprintf(env.stderr, "Following %s from now on, until ^C.\n", c.base.Host)
		err = follow(env, following, f.Interval)
	}
	if errors.Is(err, errInterrupted) {
		err = nil // ^C is how it ends
	}
	return err
}

// follow prints until the context ends. A server that is away is waited for;
// one that refuses is not.
func follow(env *environment, following follower, interval time.Duration) error {
	away := false
	for sleep(env.ctx, interval) {
		lines, err := following.poll()
		switch {
		case errors.Is(err, errInterrupted) || isRefusal(err):
			return err
		case err != nil && !away:
			fmt.Fprintf(env.stderr, "malote: %s; looking again until it works\n", oneLine(err.Error()))
		case err == nil && away:
			fmt.Fprintln(env.stderr, "malote: connected again")
		}
		away = err != nil
		for _, line := range lines {
			if _, err := fmt.Fprintln(env.stdout, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// isRefusal says whether asking again gives the same answer.
func isRefusal(err error) bool {
	failed, answered := errors.AsType[*client.Error](err)
	return answered && failed.Status < http.StatusInternalServerError && failed.Status != http.StatusTooManyRequests
}

// overlap is how far back every look goes: an event is visible a little after
// the instant in its id, when its transaction has committed.
const overlap = 10 * time.Second

// pagesPerLook bounds one look at a list, under a flood.
const pagesPerLook = 40

// recent reads a list of the last seconds, newest first, and the server's time.
func recent(c *connection, path, tenant string, since time.Time) (rows []json.RawMessage, now time.Time, _ error) {
	query := queryOf("tenant", tenant, "since", since.UTC().Format(time.RFC3339Nano), "limit", strconv.Itoa(largestPage))
	for range pagesPerLook {
		page, got, err := fetch[rawPage](c, client.Request{Method: http.MethodGet, Path: path, Query: query})
		if err != nil {
			return nil, now, err
		}
		rows, now = append(rows, page.Data...), serverTime(got)
		if page.NextCursor == "" {
			break
		}
		query.Set("cursor", page.NextCursor)
	}
	return rows, now, nil
}

// serverTime is the server's clock when it gave the answer, to the second.
func serverTime(got *client.Response) time.Time {
	if at, err := http.ParseTime(got.Header.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}
