package contractrun

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/webhook"
)

// Jitter is in whole seconds (D04) and no wait is scaled to as much as one, so
// that there is none, and the sixteenth attempt is always made.
var dracma = contract{
	preset: "dracma",
	scale:  scale{schedule: 20_000, age: 20_000},
	others: retried, exhausted: fate{state: "dead", reason: "too_old", attempts: 16},
	fates: map[string]fate{
		"200": delivered(1), "204": delivered(1), "big": delivered(1), "stalls after 70K": delivered(1),
	},
	scheme: webhook.SchemeStandard,
	headers: headerNames{
		id: "Dracma-Event-Id", timestamp: "Dracma-Timestamp", signature: "Dracma-Signature", attempt: "Dracma-Attempt",
	},
	body: standardBody,
}

func TestDracma_D01_D02_D03_D04_D05_D07_D09_D12_D15_Live(t *testing.T) {
	t.Parallel()
	r := live(t, dracma)
	t.Run("D01 what fails", func(t *testing.T) {
		r.requireFates(t, "200", "204", "hang", "500", "503", "reset", "refused", "tls", "dns")
		r.requireNotFollowed(t)
	})
	t.Run("D02 nothing is definitive", func(t *testing.T) {
		r.requireFates(t, "400", "401", "404", "405", "408", "409", "410", "413", "414", "415", "422", "429")
	})
	t.Run("D03 the body", func(t *testing.T) {
		r.requireFates(t, "big", "broken", "stalls after 10", "stalls after 5K", "stalls after 70K")
		r.requireKept(t, 0)
	})
	t.Run("D04 D05 to the instant", r.requireDracmaTimes)
	t.Run("D07 skipped", r.requireSkips)
	t.Run("D09 attempts", func(t *testing.T) {
		for _, a := range r.became["500"].Attempts {
			require.Equal(t, []any{500, failing}, []any{a.Status, a.ErrorCode})
			require.NotZero(t, a.StartedAt)
			require.NotEmpty(t, a.Error)
		}
	})
	t.Run("D12 request", func(t *testing.T) {
		r.requireHeaders(t)
		r.requireSignatures(t)
		r.requireBytes(t)
	})
	t.Run("all", func(t *testing.T) { r.requireFates(t) })
}

// requireDracmaTimes: each attempt is due at its distance from the others,
// however late they were and whatever they came to; none is later than 72 hours
// from the first. Where that was late itself, all begins with it.
func (r *run) requireDracmaTimes(t *testing.T) {
	waits := []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour}
	const age = 72 * time.Hour
	for name, became := range r.became {
		first, last := became.Attempts[0], became.Attempts[len(became.Attempts)-1]
		require.LessOrEqual(t, last.ScheduledAt.Sub(first.StartedAt), age/dracma.scale.schedule+slack, name)
		if became.State == "dead" {
			require.Len(t, became.Attempts, 16, name)
		}
		for i := 1; i < len(became.Attempts); i++ {
			before, after := became.Attempts[i-1], became.Attempts[i]
			wait := 8 * time.Hour
			if i <= len(waits) {
				wait = waits[i-1]
			}
			wait /= dracma.scale.schedule
			from := before.ScheduledAt
			if i == 1 && before.StartedAt.After(from) {
				from = before.StartedAt
			}
			require.InDelta(t, wait, after.ScheduledAt.Sub(from), float64(slack), "%s, after attempt %d", name, i)
			require.False(t, after.StartedAt.Before(after.ScheduledAt.Add(-slack)), "%s, attempt %d came early", name, i+1)
		}
	}
}

// requireSkips: what is not sent is on record, with its reason, and among the
// events (D15).
func (r *run) requireSkips(t *testing.T) {
	const newcomer = "newcomer"
	r.malote.on(t).must(201, "POST", "/v1/tenants", map[string]any{"id": newcomer}, nil)
	publish := func() (event published) {
		r.malote.on(t).must(202, "POST", "/v1/events", `{"tenant":"`+newcomer+`","type":"`+eventType+`","data":1}`, &event)
		return event
	}
	skipped := map[string]published{"no_endpoint": publish()}
	made := r.malote.on(t).makeEndpoint(r.script.play("/newcomer", status(200)), r.policy, map[string]any{"tenant": newcomer, "event_types": []string{"invoice.void"}})
	skipped["type_not_subscribed"] = publish()
	r.malote.on(t).must(200, "PATCH", "/v1/webhook_endpoints/"+made.ID, map[string]any{"event_types": []string{}}, nil)
	r.malote.on(t).must(200, "POST", "/v1/webhook_endpoints/"+made.ID+"/disable", nil, nil)
	skipped["endpoint_disabled"] = publish()
	r.malote.on(t).must(200, "POST", "/v1/webhook_endpoints/"+made.ID+"/enable", nil, nil)
	sent := publish()

	require.Equal(t, "delivered", r.malote.on(t).awaitOne(sent).State, "an empty list takes every type")
	for reason, event := range skipped {
		became := r.malote.on(t).awaitOne(event)
		require.Equal(t, []any{"skipped", reason, 0}, []any{became.State, became.SkipReason, became.AttemptCount})
	}
	var page struct{ Data []published }
	r.malote.on(t).must(200, "GET", "/v1/events?tenant="+newcomer, nil, &page)
	require.Len(t, page.Data, 4)
}

// An attempt can fail before anything is sent, and counts like any other.
func TestDracma_D13_FailsBeforeThePost(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	url := s.play("/200", status(200))
	dsn := pgtest.DSN(t)
	m := start(t, options(dsn, app.RoleAPI))
	name := m.publishPolicy("dracma", "scaled", scale{schedule: 100_000, age: 100_000})
	m.makeTenant()
	blocked, mute := m.makeEndpoint(url, name, nil), m.makeEndpoint(url, name, nil)
	var secrets struct{ Data []struct{ ID string } }
	m.must(200, "GET", "/v1/webhook_endpoints/"+mute.ID+"/secrets", nil, &secrets)
	require.Len(t, secrets.Data, 1)
	m.must(204, "DELETE", "/v1/webhook_endpoints/"+mute.ID+"/secrets/"+secrets.Data[0].ID, nil, nil)

	// The first worker allows less than was allowed when the URLs were registered.
	strict := options(dsn, app.RoleWorker)
	strict.AllowDestinations = nil
	worker := start(t, strict)
	requireUnsent(t, m.awaitOne(m.publish(blocked.ID)), "url_not_allowed")
	require.NoError(t, worker.stop())
	start(t, options(dsn, app.RoleWorker))
	requireUnsent(t, m.awaitOne(m.publish(mute.ID)), "no_secret")
	require.Empty(t, s.to("/200"))
}

func requireUnsent(t *testing.T, became delivery, code string) {
	t.Helper()
	require.Equal(t, []any{"dead", "too_old"}, []any{became.State, became.DeadReason})
	require.GreaterOrEqual(t, became.AttemptCount, 16)
	for _, a := range became.Attempts {
		require.Equal(t, []any{code, 0}, []any{a.ErrorCode, a.Status})
	}
}
