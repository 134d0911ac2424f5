package gaprepair

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) {
	// Every check of a property lives through days; the command line may ask for more.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	os.Exit(pgtest.Main(m))
}

const secretToken = "sk_live_do_not_print"

var (
	errAway = errors.New("the database is away")
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

// A sent is an event that the provider has sent, or tried to.
type sent struct {
	id         int64
	key        string
	at         time.Time
	body       string // as its webhook has it
	redelivery bool
}

// A taken is what the tenant's events have under a key.
type taken struct {
	kind    string
	body    string
	how     string // door or list
	times   int    // as an event; a repeat is none
	expires time.Time
}

// A world is a provider with its clock, the door, and the database, all of
// which may fail.
type world struct {
	source Source
	skew   time.Duration // of our clock before the provider's
	rest   func(context.Context, time.Duration) error

	mu         sync.Mutex
	now        time.Time // the provider's, and the database's
	list       []*sent   // oldest first
	taken      map[string]*taken
	doorIsShut bool
	positions  map[delivery.ID]Position
	found      int
	reports    []Report

	requests []*http.Request
	asks     map[string]int
	quiet    time.Time // no request may come before
	hammered int

	fault    func(*http.Request) *http.Response // nil, or nil from it: none
	lost     func(*http.Request) bool           // the answer is, after all was done
	during   func(place string)                 // called where something may happen meanwhile
	database func(place string) error
}

func newWorld(provider string) *world {
	return &world{
		source: Source{
			ID: delivery.ID{1}, Tenant: "acme", Provider: provider, Token: secretToken,
			Hook: Hook{Owner: "octo", Repository: "cat", ID: 7},
		},
		now: noon, taken: make(map[string]*taken), positions: make(map[delivery.ID]Position), asks: make(map[string]int),
		rest: func(context.Context, time.Duration) error { return nil },
	}
}

// runner is what a process has; there may be several.
func (w *world) runner() *Runner {
	r := New(Options{
		Sources: w, Keys: w, Publisher: w, Positions: w, Observer: w, Client: &http.Client{Transport: w},
		Now: w.ourTime, Random: func() float64 { return 0.5 },
	})
	r.rest = w.rest
	return r
}

func (w *world) ourTime() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.Add(w.skew)
}

func (w *world) elapse(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// happens makes an event of the given age.
func (w *world) happens(age time.Duration) *sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(w.now.Add(-age))
}

func (w *world) add(at time.Time) *sent {
	n := int64(len(w.list) + 1)
	one := &sent{id: n, key: fmt.Sprintf("evt_%d", n), at: at.Truncate(time.Second)}
	one.body = fmt.Sprintf("{\"id\": %q,\n\t\"created\":%d,\"type\":\"invoice.paid\",\"data\":{\"n\":1.0e2, \"t\":\"\\u00e9\\/</a>\"},  \"amount\":12345678901234567890}",
		one.key, one.at.Unix())
	w.list = append(w.list, one)
	return one
}

// arrives brings a webhook to the door, which takes it once.
func (w *world) arrives(one *sent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.take(one.key, one.body, "door")
}

func (w *world) take(key, body, how string) (duplicate bool) {
	old := w.taken[key]
	if old != nil && w.now.Before(old.expires) {
		return true
	}
	times := 1
	if old != nil {
		times = old.times + 1
	}
	w.taken[key] = &taken{body: body, how: how, times: times, expires: w.now.Add(keysKept)}
	return false
}

// Repairable implements Sources.
func (w *world) Repairable(context.Context) ([]Source, error) {
	if err := w.ask("sources"); err != nil {
		return nil, err
	}
	return []Source{w.source}, nil
}

func (w *world) ask(place string) error {
	if w.database == nil {
		return nil
	}
	return w.database(place)
}

// Known implements Keys.
func (w *world) Known(_ context.Context, _ delivery.ID, keys []string) (map[string]bool, error) {
	if len(keys) > 100 {
		panic("too many keys at once")
	}
	if err := w.ask("keys"); err != nil {
		return nil, err
	}
	w.mu.Lock()
	known := make(map[string]bool)
	for _, key := range keys {
		if t := w.taken[key]; t != nil && w.now.Before(t.expires) {
			known[key] = true
		}
	}
	w.mu.Unlock()
	w.meanwhile("known")
	return known, nil
}

func (w *world) meanwhile(place string) {
	if w.during != nil {
		w.during(place)
	}
}

// Publish implements Publisher.
func (w *world) Publish(_ context.Context, requests []publish.Request) ([]publish.Result, error) {
	if err := w.ask("publish"); err != nil {
		return nil, err
	}
	w.mu.Lock()
	for i, r := range requests {
		if !delivery.ValidType(r.Type) {
			w.mu.Unlock()
			return nil, &publish.InvalidError{Index: i, Field: "type", Reason: "is odd"}
		}
	}
	results := make([]publish.Result, len(requests))
	for i, r := range requests {
		if r.Source != w.source.ID || r.Tenant != "acme" || r.IdempotencyKey == "" {
			panic("an event that the door would not know")
		}
		results[i].Duplicate = w.take(r.IdempotencyKey, string(r.Body), "list")
		w.taken[r.IdempotencyKey].kind = r.Type
	}
	w.mu.Unlock()
	if err := w.ask("committed"); err != nil {
		return nil, err
	}
	return results, nil
}

// Load implements Positions.
func (w *world) Load(_ context.Context, id delivery.ID) (Position, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.positions[id], w.ask("load")
}

// Save implements Positions.
func (w *world) Save(_ context.Context, id delivery.ID, position Position, found int) error {
	if err := w.ask("save"); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.positions[id] = position
	w.found += found
	return nil
}

// GapsCompared implements Observer.
func (w *world) GapsCompared(_ string, report Report, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reports = append(w.reports, report)
}

// wrong says what is not as it must be: everything that can be missed came in
// just once, with its bytes.
func (w *world) wrong() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.list {
		t := w.taken[one.key]
		switch {
		case one.redelivery || one.at.After(w.now.Add(-settle-time.Second)) || one.at.Before(w.source.Since):
		case t == nil:
			return fmt.Sprintf("%s of %s did not come in; it is %s", one.key, one.at, w.now)
		case t.times != 1:
			return fmt.Sprintf("%s came in %d times", one.key, t.times)
		case t.body != one.body:
			return fmt.Sprintf("%s has other bytes:\n%s\n%s", one.key, one.body, t.body)
		}
	}
	return ""
}

// settled lets a runner do all that there is to be done now.
func (w *world) settled(t interface {
	Helper()
	Fatalf(string, ...any)
}, r *Runner) {
	t.Helper()
	for range 1000 {
		more, err := r.Step(context.Background())
		if err != nil {
			t.Fatalf("a step failed: %v", err)
		}
		if !more {
			return
		}
	}
	t.Fatalf("it has always more to do")
}
