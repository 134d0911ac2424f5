package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReadSentAt(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_750_000_000, 123_456_789)
	for body, want := range map[string]time.Time{
		target{"bench", []string{"whe_1"}}.bodyOf(7, at): at,
		`{"sent_at":5}`:                       time.Unix(0, 5),
		`{"sent_at":"5"}`:                     {},
		`{"sent_at":`:                         {},
		`{"other":5}`:                         {},
		`{"sent_at":99999999999999999999999}`: {},
	} {
		got, ok := readSentAt([]byte(body))
		require.Equal(t, !want.IsZero(), ok, body)
		if ok {
			require.True(t, want.Equal(got), body)
		}
	}
}

func TestBodyOf_TakesEndpointsInTurnAndIsAsLongAsItShould(t *testing.T) {
	t.Parallel()
	of := target{"bench", []string{"whe_0", "whe_1", "whe_2"}}
	for n, want := range []string{"whe_0", "whe_1", "whe_2", "whe_0"} {
		var event struct {
			Endpoints []string        `json:"endpoint_ids"`
			Data      json.RawMessage `json:"data"`
		}
		require.NoError(t, json.Unmarshal([]byte(of.bodyOf(int64(n), time.Now())), &event))
		require.Equal(t, []string{want}, event.Endpoints)
		require.Len(t, event.Data, eventSize-90)
	}
	require.Len(t, stripeEvent("1"), eventSize)
}

// The example is of the form that Stripe's documentation has.
func TestStripeSignature(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^t=1750000000,v1=[0-9a-f]{64}$`, stripeSignature("{}", time.Unix(1_750_000_000, 0)))
	require.NotEqual(t, stripeSignature("{}", time.Unix(1, 0)), stripeSignature("{} ", time.Unix(1, 0)))
}

func TestOptions_Check(t *testing.T) {
	t.Parallel()
	good := Options{Scenarios: Scenarios, Duration: 1, Runs: 1, Publishers: []int{1}, Endpoints: 1, MaxInFlight: 1}
	require.NoError(t, good.check())
	for name, spoil := range map[string]func(*Options){
		"scenario":   func(o *Options) { o.Scenarios = []Scenario{"luck"} },
		"duration":   func(o *Options) { o.Duration = 0 },
		"warm-up":    func(o *Options) { o.WarmUp = -1 },
		"runs":       func(o *Options) { o.Runs = 0 },
		"publishers": func(o *Options) { o.Publishers = nil },
		"publisher":  func(o *Options) { o.Publishers = []int{1, 0} },
		"endpoints":  func(o *Options) { o.Endpoints = 0 },
		"in flight":  func(o *Options) { o.MaxInFlight = 0 },
	} {
		bad := good
		spoil(&bad)
		require.Error(t, bad.check(), name)
	}
}

// Special endpoints have their manner, and count apart.
func TestReceivers_KeepSpecialOnesApart(t *testing.T) {
	t.Parallel()
	r, err := openReceivers(t.Context())
	require.NoError(t, err)
	defer r.close()
	r.behave(2, func(request *http.Request) bool { return request.URL.Path == "/0" })
	client := newHTTPClient(1)
	defer client.CloseIdleConnections()
	r.keep()
	for path, refused := range map[string]bool{"/0": false, "/1": true, "/2": false, "/30": false} {
		_, err := post(t.Context(), client, r.url+path, `{"sent_at":1}`)
		require.Equal(t, refused, err != nil, path)
	}
	require.EqualValues(t, 2, r.received.Load())
	require.EqualValues(t, 2, r.noted())
	require.Len(t, r.kept(), 2)
	require.Equal(t, []int64{2, 1, 1}, []int64{r.arrived.Load(), r.taken.Load(), r.declined.Load()})
}

// Every tenth webhook of a sender is the one before, which is no event.
func TestSenders_RepeatEveryTenth(t *testing.T) {
	t.Parallel()
	seen, got, enough := make(map[string]bool), 0, make(chan struct{})
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // one sender: one request at a time
		got++
		fmt.Fprintf(w, `{"id":"evt_1","duplicate":%t}`, seen[string(body)])
		seen[string(body)] = true
		if got == 100 {
			close(enough)
		}
		if got >= 100 {
			<-r.Context().Done()
		}
	}))
	defer door.Close()
	load := startSenders(t.Context(), 1, door.URL, []string{"/in/src_1"})
	<-enough
	load.end()
	require.Equal(t, []int64{90, 9, 0}, []int64{load.accepted.Load(), load.duplicates.Load(), load.failed.Load()}, "the hundredth was cut off")
}

func shell(t *testing.T, script string) (*process, error) {
	t.Helper()
	return startProcess(t.Context(), []string{"/bin/sh", "-c", script}, &database{dir: t.TempDir(), url: "postgres://x"}, 0, 64)
}

func TestStartProcess(t *testing.T) {
	t.Parallel()
	p, err := shell(t, `echo "hello"; echo "It is ready at http://127.0.0.1:1 (and more)"; echo "$DATABASE_URL $MALOTE_BENCH_MAX_IN_FLIGHT" >&2; exec sleep 100`)
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:1", p.url)
	used, err := usedBy(p.command.Process.Pid)
	require.NoError(t, err)
	require.GreaterOrEqual(t, used, time.Duration(0))
	most, err := p.rssMost()
	require.NoError(t, err)
	require.Positive(t, most)
	require.True(t, await(t.Context(), patience, func() bool {
		said, err := os.ReadFile(p.log.Name())
		return err == nil && strings.TrimSpace(string(said)) == "postgres://x 64"
	}))
	p.stop()
	require.NotNil(t, p.command.ProcessState, "it is gone")

	_, err = shell(t, `echo "the port is taken: choose another" >&2; exit 3`)
	require.ErrorContains(t, err, "sh did not start: the port is taken: choose another")
	_, err = startProcess(t.Context(), []string{"/nonexistent"}, &database{dir: t.TempDir()}, 0, 64)
	require.ErrorIs(t, err, os.ErrNotExist)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = startProcess(ended, []string{"/bin/sh", "-c", "exec sleep 100"}, &database{dir: t.TempDir()}, 0, 64)
	require.ErrorIs(t, err, context.Canceled)
}

// A private database keeps what it is told, and leaves nothing behind.
func TestOpenDatabase_Private(t *testing.T) {
	t.Parallel()
	d, err := (&bench{}).openDatabase(t.Context())
	require.NoError(t, err)
	_, settings, err := d.admin.Settings(t.Context())
	require.NoError(t, err)
	for _, s := range settings[:2] {
		require.Equal(t, "on", s.Value, s.Name)
	}
	used, err := usedBy(d.postmaster)
	require.NoError(t, err)
	require.Positive(t, used)
	d.close()
	_, err = os.Stat(d.dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}
