package app_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/localpg"
)

// sender is a provider that sends each webhook until it has a receipt for it.
type sender struct {
	path   string
	client *http.Client

	mu       sync.Mutex
	url      string            // of the process that ingests at present
	receipts map[string]string // guid → event id

	away    bool // the database
	lied    int  // receipts while it was
	refused int  // 503s while it was
	slowest time.Duration
}

func newSender(path string) *sender {
	return &sender{path: path, client: &http.Client{Timeout: 5 * time.Second}, receipts: make(map[string]string)}
}

func (s *sender) send(ctx context.Context, guid string, body []byte) {
	for ctx.Err() == nil && !s.try(guid, body) {
		<-time.NewTimer(5 * time.Millisecond).C
	}
}

func (s *sender) try(guid string, body []byte) (receipt bool) {
	s.mu.Lock()
	url, wasAway := s.url, s.away
	s.mu.Unlock()
	begun := time.Now()
	status, answer, err := gitHub(s.client, url+s.path, guid, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	wasAway = wasAway && s.away
	receipt = err == nil && status == http.StatusOK
	switch {
	case receipt && wasAway:
		s.lied++
	case receipt:
		s.receipts[guid] = answer["id"].(string)
	case wasAway && status == http.StatusServiceUnavailable:
		s.refused++
		s.slowest = max(s.slowest, time.Since(begun))
	}
	return receipt
}

func (s *sender) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *sender) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.receipts)
}

func (s *sender) await(t *testing.T, receipts int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.count() >= receipts }, 60*time.Second, time.Millisecond)
}

// requireExact: every receipt has its event, and there are no others.
func (s *sender) requireExact(t *testing.T, malote *server) {
	t.Helper()
	events := make(map[string]bool)
	for cursor := ""; ; {
		page := malote.must(200, "GET", "/v1/events?tenant=acme&limit=250&cursor="+cursor, nil)
		for _, row := range page["data"].([]any) {
			id := row.(map[string]any)["id"].(string)
			require.False(t, events[id], "listed twice")
			events[id] = true
		}
		next, more := page["next_cursor"].(string)
		if !more {
			break
		}
		cursor = next
	}
	for guid, id := range s.receipts {
		require.True(t, events[id], "the receipt of %s has no event", guid)
	}
	require.Len(t, events, len(s.receipts), "no event twice")
}

// awayFor is how long the database is stopped under the senders.
const awayFor = 3 * time.Second

// TestGateway_G01_G12_DoorWithoutDatabase stops PostgreSQL under senders: nobody
// gets a receipt, everybody a 503 soon, and afterwards all is in, once.
func TestGateway_G01_G12_DoorWithoutDatabase(t *testing.T) {
	t.Parallel()
	dir := reachableTempDir(t)
	startDatabase := func() *localpg.Server {
		db, err := localpg.Start(context.Background(), localpg.Options{DataDir: dir})
		require.NoError(t, err)
		return db
	}
	db := startDatabase()
	t.Cleanup(func() { _ = db.Stop(context.Background()) })
	malote := start(t, testOptions(db.URL()))
	malote.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	provider := newSender(malote.source("acme", "github"))
	provider.url = malote.url
	ctx, finish := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				provider.send(t.Context(), fmt.Sprintf("guid-%d-%d", n, i), fmt.Appendf(nil, `{"n":%d,"i":%d}`, n, i))
			}
		})
	}
	provider.await(t, 50)
	require.NoError(t, db.Stop(context.Background()))
	provider.set(func() { provider.away = true })
	<-time.NewTimer(awayFor).C
	provider.set(func() { provider.away = false })
	db = startDatabase()
	provider.await(t, provider.count()+50)
	finish()
	group.Wait()
	require.Zero(t, provider.lied, "a receipt without a database")
	require.NotZero(t, provider.refused)
	t.Logf("%d refused while it was away, the slowest after %v; %d receipts", provider.refused, provider.slowest, provider.count())
	provider.requireExact(t, malote)
}
