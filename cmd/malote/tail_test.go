package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

// story is an API whose deliveries change as the test goes on.
type story struct {
	mu         sync.Mutex
	now        time.Time
	deliveries []map[string]any // newest first
	asked      []string         // ids of single deliveries
	status     int              // of every answer; 0: all is well
}

func (s *story) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Date", s.now.UTC().Format(http.TimeFormat))
	id, single := strings.CutPrefix(r.URL.Path, deliveriesPath+"/")
	query := r.URL.Query()
	switch {
	case s.status != 0:
		answerJSON(w, s.status, problemJSON("it_is_so", "It is so."))
	case strings.HasPrefix(r.URL.Path, endpointsPath):
		answerJSON(w, http.StatusOK, `{"url":"https://a.example/in"}`)
	case single:
		s.asked = append(s.asked, id)
		for _, d := range s.deliveries {
			if d["id"] == id {
				answerJSON(w, http.StatusOK, string(encoded(d)))
				return
			}
		}
		answerJSON(w, http.StatusNotFound, problemJSON("not_found", "There is none."))
	default:
		page := []map[string]any{}
		since, _ := time.Parse(time.RFC3339Nano, query.Get("since"))
		for _, d := range s.deliveries {
			created, _ := time.Parse(time.RFC3339Nano, d["created_at"].(string))
			if !created.Before(since) && (query.Get("state") == "" || query.Get("state") == d["state"]) {
				page = append(page, d)
			}
		}
		answerJSON(w, http.StatusOK, string(encoded(map[string]any{"data": page, "next_cursor": nil})))
	}
}

// goOn lets time pass and things happen.
func (s *story) goOn(by time.Duration, happens func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(by)
	s.asked = nil
	if happens != nil {
		happens()
	}
}

func (s *story) add(id, state string, attempts int, next time.Duration) map[string]any {
	d := map[string]any{
		"id": id, "state": state, "attempt_count": attempts, "tenant": "acme", "event_type": "a.b", "endpoint_id": "whe_1",
		"created_at": s.now.Format(time.RFC3339Nano), "next_attempt_at": s.now.Add(next).Format(time.RFC3339Nano),
	}
	s.deliveries = append([]map[string]any{d}, s.deliveries...)
	return d
}

// told starts following a story that began an hour ago with one pending delivery.
func told(t testing.TB) (*story, *deliveryFollower) {
	t.Helper()
	s := &story{now: noon.Add(-time.Hour)}
	s.add("whd_old", "pending", 3, time.Hour+5*time.Minute)
	s.add("whd_done", "delivered", 1, 0)
	s.now = noon
	server := newFake(t, func(_ int, w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) })
	flags := apiFlags{Server: server.URL, APIKey: "k", Timeout: patience}
	c, err := flags.connect(&environment{ctx: t.Context(), stderr: &output{}})
	require.NoError(t, err)
	f, err := followDeliveries(c, "", false)
	require.NoError(t, err)
	return s, f
}

func poll(t testing.TB, f follower) []string {
	t.Helper()
	lines, err := f.poll()
	require.NoError(t, err)
	return lines
}

func TestTail_ShowsEveryChangeOnce(t *testing.T) {
	t.Parallel()
	s, f := told(t)
	require.Empty(t, poll(t, f), "what is there already is not shown")

	var first, second map[string]any
	s.goOn(time.Second, func() { first, second = s.add("whd_1", "pending", 0, 0), s.add("whd_2", "sending", 1, 0) })
	lines := poll(t, f)
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "whd_1", "oldest first")
	require.Contains(t, lines[1], "sending: attempt 1")
	require.Contains(t, lines[1], "https://a.example/in")
	require.Empty(t, poll(t, f), "nothing has changed")

	s.goOn(time.Second, func() {
		first["state"], first["attempt_count"], first["last_response_status"] = "delivered", 1, 204
		second["state"], second["last_error_code"] = "pending", "timeout"
		second["next_attempt_at"] = s.now.Add(90 * time.Second).Format(time.RFC3339Nano)
	})
	lines = poll(t, f)
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "delivered: 204 on attempt 1")
	require.Contains(t, lines[1], "pending: timeout failed attempt 1, next in 1m30s")
}

func TestTail_AsksForOldOnesWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	s, f := told(t)
	s.goOn(2*time.Second, nil)
	require.Empty(t, poll(t, f))
	require.Empty(t, s.asked, "it is due in five minutes")

	s.goOn(5*time.Minute, func() { s.deliveries[1]["state"], s.deliveries[1]["dead_reason"] = "dead", "attempts_exhausted" })
	lines := poll(t, f)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "dead: attempts_exhausted")
	require.Equal(t, []string{"whd_old"}, s.asked)

	s.goOn(time.Minute, nil)
	require.Empty(t, poll(t, f))
	require.Empty(t, s.asked, "it cannot change any more")
	require.Empty(t, f.known, "what is over is forgotten")
}

func TestTail_WaitsForAServerThatIsAway(t *testing.T) {
	t.Parallel()
	env := &environment{ctx: t.Context(), stdout: &output{}, stderr: &output{}}
	away := &refusal{&client.Error{Status: http.StatusServiceUnavailable, Code: "unavailable", Detail: "The database is away."}}
	refused := &refusal{&client.Error{Status: http.StatusUnauthorized, Code: "unauthenticated", Detail: "No more."}}
	answers := []error{nil, away, away, nil, refused}
	err := follow(env, following(func() ([]string, error) {
		answer := answers[0]
		answers = answers[1:]
		if answer != nil {
			return nil, answer
		}
		return []string{"a line"}, nil
	}), time.Millisecond)
	require.ErrorIs(t, err, refused, "a key that does not work never will")
	require.Equal(t, "a line\na line\n", env.stdout.(*output).String())
	complaints := env.stderr.(*output).String()
	require.Equal(t, 1, strings.Count(complaints, "The database is away."), "it is said once")
	require.Equal(t, 1, strings.Count(complaints, "connected again"))
}

type following func() ([]string, error)

func (f following) poll() ([]string, error) { return f() }

func TestTail_JSONIsTheAPIs(t *testing.T) {
	t.Parallel()
	s, f := told(t)
	f.raw = true
	s.goOn(time.Second, func() { s.add("whd_1", "delivered", 1, 0) })
	lines := poll(t, f)
	require.Len(t, lines, 1)
	require.True(t, json.Valid([]byte(lines[0])))
	require.Equal(t, "whd_1", field[string](t, lines[0], "id"))
}
