package app_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// publishers keep publishing, each event again with its key until it is
// acknowledged, to whatever server is current.
type publishers struct {
	current  atomic.Pointer[server]
	mu       sync.Mutex
	accepted map[string]string // event id → key
	refusals map[int]int       // status → times
	running  sync.WaitGroup
	stop     chan struct{}
}

func startPublishers(s *server, n int) *publishers {
	p := &publishers{accepted: make(map[string]string), refusals: make(map[int]int), stop: make(chan struct{})}
	p.current.Store(s)
	for i := range n {
		p.running.Go(func() {
			for j := 0; ; j++ {
				select {
				case <-p.stop:
					return
				default:
					p.publish(fmt.Sprintf("key-%d-%d", i, j))
				}
			}
		})
	}
	return p
}

func (p *publishers) publish(key string) {
	client := &http.Client{Timeout: 10 * time.Second}
	for {
		status, answer, err := p.current.Load().tryCall(client, "POST", "/v1/events",
			`{"tenant":"acme","type":"a","idempotency_key":"`+key+`","data":"`+key+`"}`)
		if err == nil && status == http.StatusAccepted {
			p.mu.Lock()
			p.accepted[answer["id"].(string)] = key
			p.mu.Unlock()
			return
		}
		p.mu.Lock()
		p.refusals[status]++ // 0: no answer
		p.mu.Unlock()
		select {
		case <-time.After(20 * time.Millisecond):
		case <-p.stop:
			// Unanswered, so nobody may count on it; it may have come in all the same.
			return
		}
	}
}

func (p *publishers) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.accepted)
}

func (p *publishers) await(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return p.count() >= n }, 30*time.Second, 5*time.Millisecond)
}

// finish stops the publishers and gives what they were promised.
func (p *publishers) finish() map[string]string {
	close(p.stop)
	p.running.Wait()
	return p.accepted
}

func TestKill9_NothingIsLost(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	dsn := pgtest.DSN(t)
	first, kill := startChild(t, dsn)
	first.endpoint("acme", receiver.URL, map[string]any{"max_in_flight": 20})
	crowd := startPublishers(first, 8)
	crowd.await(t, 150)
	kill()
	inFlight := interrupted(t, dsn)
	second, _ := startChild(t, dsn)
	crowd.current.Store(second)
	crowd.await(t, crowd.count()+150)
	accepted := crowd.finish()

	awaitQuiet(t, second)
	states := second.states("acme")
	require.Equal(t, map[string]int{"delivered": states["delivered"]}, states)

	// The checker compares what was promised, recorded and received.
	times := make(map[string]int)
	for _, got := range receiver.arrivals() {
		times[got.id]++
	}
	repeated := 0
	for id, n := range times {
		repeated += n - 1
		assert.LessOrEqual(t, n, 2, "%s came %d times", id, n)
	}
	for id := range accepted {
		assert.NotZero(t, times[id], "%s was accepted and never sent", id)
	}
	assert.Len(t, times, states["delivered"], "what is recorded as delivered is what was received")
	assert.LessOrEqual(t, repeated, inFlight, "only what was in flight may come twice")
}

// interrupted lets the leases of a killed process run out at once, instead of
// in a minute (F12), and says how many there were.
func interrupted(t *testing.T, dsn string) int {
	t.Helper()
	tag, err := pgtest.OpenDSN(t, dsn).Pool().Exec(t.Context(), `UPDATE malote.queue SET lease_until = now() WHERE status = 'sending'`)
	require.NoError(t, err)
	return int(tag.RowsAffected())
}

func awaitQuiet(t *testing.T, s *server) {
	t.Helper()
	require.Eventually(t, func() bool {
		states, err := s.tryStates("acme")
		return err == nil && states["pending"]+states["sending"] == 0
	}, 30*time.Second, 50*time.Millisecond)
}

func TestPrivatePostgreSQL_CrashIsSurvived(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	options := testOptions("")
	options.DataDir = reachableTempDir(t)
	s := start(t, options)
	s.endpoint("acme", receiver.URL, nil)
	crowd := startPublishers(s, 4)
	crowd.await(t, 50)

	second := options
	err := app.Run(t.Context(), second, func(app.Info) { t.Error("two on one directory") })
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
	require.Contains(t, err.Error(), strconv.Itoa(os.Getpid()), "it says who has the directory")

	require.NoError(t, syscall.Kill(postmaster(t, options.DataDir), syscall.SIGKILL))
	crowd.await(t, crowd.count()+50)
	accepted := crowd.finish()
	awaitQuiet(t, s)
	seen := make(map[string]bool)
	for _, got := range receiver.arrivals() {
		seen[got.id] = true
	}
	for id := range accepted {
		assert.True(t, seen[id], "%s was accepted and never sent", id)
	}
	for status := range crowd.refusals {
		assert.Equal(t, http.StatusServiceUnavailable, status, "while the database is away, only 503")
	}
	require.NoError(t, s.stop())
	_, err = os.Stat(filepath.Join(options.DataDir, "postgres", "data", "postmaster.pid"))
	require.ErrorIs(t, err, os.ErrNotExist, "PostgreSQL stops cleanly with us")
}

// reachableTempDir is one that the account which runs PostgreSQL can reach, if
// the tests run as root.
func reachableTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "malote-app-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func postmaster(t *testing.T, dataDir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dataDir, "postgres", "data", "postmaster.pid"))
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	require.NoError(t, err)
	return pid
}

func TestDatabaseAway_NeverAFalseAcknowledgement(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	dsn := pgtest.DSN(t)
	s := start(t, testOptions(dsn))
	s.endpoint("acme", receiver.URL, nil)
	crowd := startPublishers(s, 4)
	crowd.await(t, 40)
	// Every connection of Malote is cut, the listener's too, again and again.
	killer := pgtest.OpenDSN(t, dsn)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 10 {
		_, err := killer.Pool().Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err == nil {
			crowd.await(t, crowd.count()+20)
		}
	}
	accepted := crowd.finish()
	interrupted(t, dsn)
	awaitQuiet(t, s)
	seen := make(map[string]bool)
	for _, got := range receiver.arrivals() {
		seen[got.id] = true
	}
	for id := range accepted {
		assert.True(t, seen[id], "%s was accepted and never sent", id)
	}
}
