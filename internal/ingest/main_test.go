package ingest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	code := pgtest.Main(m)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// shelf is Sources in memory.
type shelf struct {
	mu      sync.Mutex
	sources map[delivery.ID]Source
	asked   int
	err     error
	takes   time.Duration
}

func (s *shelf) FindSource(ctx context.Context, id delivery.ID) (Source, bool, error) {
	s.mu.Lock()
	s.asked++
	found, ok := s.sources[id]
	err, takes := s.err, s.takes
	s.mu.Unlock()
	if takes == 0 {
		return found, ok, err
	}
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return Source{}, false, ctx.Err()
	case <-timer.C:
		return found, ok, err
	}
}

func (s *shelf) change(how func(*shelf)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how(s)
}

// put adds a source, or changes it.
func (s *shelf) put(of Source) delivery.ID {
	if of.ID.IsZero() {
		of.ID = newID()
	}
	if of.Tenant == "" {
		of.Tenant = "acme"
	}
	s.change(func(s *shelf) {
		of.Version = s.sources[of.ID].Version + 1
		s.sources[of.ID] = of
	})
	return of.ID
}

func newID() delivery.ID { return delivery.NewID(delivery.ShardOf("acme"), time.Now(), rand.Reader) }

// ledger is the storage of a real publish.Service, in memory: a key is taken once
// and for all (G01).
type ledger struct {
	mu     sync.Mutex
	events []delivery.Event
	keys   map[string]delivery.ID
	// before and after a transaction; an error of after is that of a commit whose
	// answer was lost.
	before func(context.Context) error
	after  func() error
}

func (l *ledger) Publish(ctx context.Context, drafts []*delivery.Draft, plan delivery.Planner) ([]delivery.Published, []delivery.LaneRef, error) {
	l.mu.Lock()
	before, after := l.before, l.after
	l.mu.Unlock()
	if before != nil {
		if err := before(ctx); err != nil {
			return nil, nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	results := make([]delivery.Published, len(drafts))
	for i, draft := range drafts {
		if _, err := plan(draft, nil); err != nil {
			return nil, nil, err
		}
		key := draft.Event.SourceID.String() + " " + draft.Event.IdempotencyKey
		if first, taken := l.keys[key]; taken && draft.Event.IdempotencyKey != "" {
			results[i] = delivery.Published{ID: first, Duplicate: true}
			continue
		}
		draft.Event.ID = newID()
		l.keys[key] = draft.Event.ID
		l.events = append(l.events, draft.Event)
		results[i] = delivery.Published{ID: draft.Event.ID, Skipped: 1}
	}
	if after != nil {
		if err := after(); err != nil {
			return nil, nil, err
		}
	}
	return results, nil, nil
}

// when changes what happens before and after transactions.
func (l *ledger) when(before func(context.Context) error, after func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before, l.after = before, after
}

func (l *ledger) all() []delivery.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]delivery.Event{}, l.events...)
}

// presets finds the policies that ship.
type presets struct{}

func (presets) Policy(name string) (*policy.Policy, error) {
	if p, known := policy.Preset(name); known {
		return p, nil
	}
	return nil, fmt.Errorf("no policy %q", name)
}

type noWaker struct{}

func (noWaker) Wake([]delivery.LaneRef) {}

type unobserved struct{}

func (unobserved) Published(int, int, int)                    {}
func (unobserved) PublishCommitted(int, time.Duration, error) {}

// publishing runs a publish.Service until the test ends.
func publishing(t testing.TB, storage publish.Storage, committers int) *publish.Service {
	service := publish.New(publish.Options{
		Storage: storage, Policies: presets{}, Waker: noWaker{}, Observer: unobserved{}, Committers: committers,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return service
}

// shop is a Fetcher that gives everybody the same.
type shop struct {
	mu      sync.Mutex
	content []byte
	err     error
	wanted  []source.Fetch
}

func (s *shop) Fetch(_ context.Context, _ delivery.ID, want source.Fetch) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = append(s.wanted, want)
	return s.content, s.err
}

func (s *shop) all() []source.Fetch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]source.Fetch{}, s.wanted...)
}

// counted is an Observer that counts.
type counted struct {
	mu                           sync.Mutex
	events, duplicates, filtered int
	rejected                     map[source.Reason]int
	statuses                     map[int]int
}

func (c *counted) InboundAccepted(_ string, events, duplicates, filtered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events, c.duplicates, c.filtered = c.events+events, c.duplicates+duplicates, c.filtered+filtered
}

func (c *counted) InboundRejected(_ string, reason source.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rejected[reason]++
}

func (c *counted) InboundAnswered(_ string, status int, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statuses[status]++
}

// totals of events and duplicates.
func (c *counted) totals() (events, duplicates int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events, c.duplicates
}

func (c *counted) of(reason source.Reason) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rejected[reason]
}

// notes is Rejections in memory.
type notes struct {
	mu      sync.Mutex
	written [][]Rejection
	err     error
}

func (n *notes) RecordRejections(_ context.Context, rejections []Rejection) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return n.err
	}
	n.written = append(n.written, rejections)
	return nil
}

func (n *notes) all() [][]Rejection {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([][]Rejection{}, n.written...)
}

// rig is a door with everything around it.
type rig struct {
	testing.TB
	*shelf
	door     *Door
	handler  http.Handler
	ledger   *ledger
	shop     *shop
	observer *counted
	notes    *notes
	log      *strings.Builder
}

func newRig(t testing.TB, change ...func(*Options)) *rig {
	r := &rig{
		TB: t, shelf: &shelf{sources: make(map[delivery.ID]Source)}, ledger: &ledger{keys: make(map[string]delivery.ID)},
		shop: &shop{err: errors.New("nothing is to be fetched")}, notes: &notes{}, log: &strings.Builder{},
		observer: &counted{rejected: make(map[source.Reason]int), statuses: make(map[int]int)},
	}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	options := Options{
		Sources: r.shelf, Publisher: publishing(t, r.ledger, 2), Fetcher: r.shop,
		Rejections: NewGatherer(r.notes, log), Observer: r.observer, Log: log,
	}
	for _, c := range change {
		c(&options)
	}
	r.door = New(options)
	mux := http.NewServeMux()
	mux.Handle(Pattern, r.door)
	r.handler = mux
	return r
}

// serve makes a real server of it.
func (r *rig) serve() *httptest.Server {
	server := httptest.NewUnstartedServer(r.handler)
	server.Config.MaxHeaderBytes = 64 << 10
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server.Start()
	r.Cleanup(server.Close)
	return server
}

// token is a generic source known by a token, with settings besides.
func (r *rig) token(settings string) delivery.ID {
	rule := `"generic":{"auth":"header_token","header":"X-Auth"}`
	if settings != "" {
		rule += "," + settings
	}
	return r.put(Source{
		Provider: "generic", Settings: []byte("{" + rule + "}"),
		Secrets: []source.Secret{{Name: "main", Value: "sesame"}},
	})
}

func pathOf(id delivery.ID) string { return "/in/" + id.Format(delivery.SourcePrefix) }

// post sends a genuine request to a token source; header is name, value, ….
func (r *rig) post(id delivery.ID, body string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, pathOf(id), strings.NewReader(body))
	request.Header.Set("X-Auth", "sesame")
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	return r.do(request)
}

func (r *rig) do(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	return recorder
}

// receiptOf reads an answer with a receipt.
func receiptOf(t testing.TB, body io.Reader) (receipt struct {
	ID         string
	Duplicate  bool
	IDs        []string
	Duplicates int
	Filtered   bool
}) {
	t.Helper()
	require.NoError(t, json.NewDecoder(body).Decode(&receipt))
	return receipt
}
