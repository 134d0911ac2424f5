package contractrun

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// The scale leaves the 24 hours of R06 out of reach, so that what disables an
// endpoint below is the number of its failures. Endpoints that are slow in a row
// (R09) would be slow here, too.
var routa = contract{
	preset: "routa",
	scale:  scale{schedule: 20_000, retryAfter: 5000, disable: 500},
	others: retried, exhausted: dead("attempts_exhausted", 8),
	fates: map[string]fate{
		"200": delivered(1), "204": delivered(1), "big": delivered(1), "broken": delivered(1), "stalls after 5K": delivered(1), "stalls after 70K": delivered(1),
		"410": dead("gone", 1),
	},
	scheme: webhook.SchemeStandard,
	headers: headerNames{
		id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature",
		attempt: "webhook-attempt", trigger: "webhook-trigger",
	},
	body: standardBody,
}

func TestRouta_R01_R02_R03_R04_R05_R06_R08_Live(t *testing.T) {
	t.Parallel()
	r := live(t, routa)
	t.Run("R01 eight attempts", func(t *testing.T) {
		r.requireFates(t, "500", "reset", "refused", "tls", "dns")
		r.requireLeastWaits(t, leastOf(20, routa.scale, time.Minute, 4*time.Minute, 15*time.Minute, 40*time.Minute,
			2*time.Hour, 6*time.Hour, 11*time.Hour))
		r.requireFloor(t, time.Hour/routa.scale.retryAfter, "429", "503")
	})
	t.Run("R02 success and what is read", func(t *testing.T) {
		r.requireFates(t, "200", "204", "big", "broken", "stalls after 10", "stalls after 5K", "stalls after 70K", "hang")
		r.requireNotFollowed(t)
		r.requireKept(t, 1024)
	})
	t.Run("R03 gone", func(t *testing.T) {
		r.requireFates(t, "410", "400", "401", "404", "405", "408", "409", "413", "414", "415", "422", "429")
	})
	t.Run("R04 R08 fields", r.requireFields)
	t.Run("R05 what can be replayed", func(t *testing.T) {
		for _, name := range []string{"200", "400"} {
			require.Equal(t, "webhook_delivery_not_replayable",
				r.malote.on(t).refused(409, "POST", "/v1/webhook_deliveries/"+r.became[name].ID+"/replay", nil), name)
		}
	})
	t.Run("request", func(t *testing.T) {
		r.requireHeaders(t)
		r.requireSignatures(t)
		r.requireBytes(t)
	})
	t.Run("R06 disabled and enabled", r.requireRevival)
	t.Run("all", func(t *testing.T) { r.requireFates(t) })
}

// requireFields: the list of an endpoint's deliveries, filtered by state, says
// how far each is; the endpoint, how it does.
func (r *run) requireFields(t *testing.T) {
	made := r.endpoints["500"]
	dead := r.malote.on(t).deliveriesTo(made.ID, "state=dead")
	require.Len(t, dead, 1)
	found := dead[0]
	require.Regexp(t, `^whd_[0-9a-z]{26}$`, found.ID)
	require.Equal(t, []any{8, 500, failing}, []any{found.AttemptCount, found.LastStatus, found.LastError})
	require.Zero(t, found.NextAttempt)
	require.Empty(t, r.malote.on(t).deliveriesTo(made.ID, "state=delivered"))

	failed, well := r.malote.on(t).endpoint(made.ID), r.malote.on(t).endpoint(r.endpoints["200"].ID)
	require.Equal(t, 8, failed.ConsecutiveFailures)
	require.NotZero(t, failed.LastFailureAt)
	require.Zero(t, failed.LastSuccessAt)
	require.Zero(t, well.ConsecutiveFailures)
	require.NotZero(t, well.LastSuccessAt)
	require.Zero(t, well.LastFailureAt)
}

// requireRevival: an endpoint fails a hundred times in a row, is disabled, misses
// an event, and is enabled again when it is well.
func (r *run) requireRevival(t *testing.T) {
	const path = "/ailing"
	hasty := r.malote.on(t).publishPolicy("routa", "hasty", scale{schedule: 100_000})
	made := r.malote.on(t).makeEndpoint(r.script.play(path, status(500)), hasty, nil)
	first := []published{r.malote.on(t).publish(made.ID), r.malote.on(t).publish(made.ID)}
	for _, event := range first { // 16 failures
		require.Equal(t, "dead", r.malote.on(t).awaitOne(event).State)
	}
	require.Equal(t, "active", r.malote.on(t).endpoint(made.ID).Status)
	late := 0      // published when it had been disabled already
	for range 20 { // which have 160 attempts; 84 are left
		late += r.malote.on(t).publish(made.ID).Skipped
	}
	require.Eventually(t, func() bool { return r.malote.on(t).endpoint(made.ID).Status == "disabled_by_system" }, patience, 50*time.Millisecond)
	require.Equal(t, "consecutive_failures", r.malote.on(t).endpoint(made.ID).DisabledReason)
	missed := r.malote.on(t).publish(made.ID)
	require.Equal(t, published{ID: missed.ID, Skipped: 1}, missed, "the event is logged all the same")

	states, sent := r.requireStill(t, made, path)
	require.GreaterOrEqual(t, states["dead"], 2)
	require.NotZero(t, states["pending"])
	r.script.play(path, status(200))
	var enabled endpoint
	r.malote.on(t).must(200, "POST", "/v1/webhook_endpoints/"+made.ID+"/enable", nil, &enabled)
	require.Equal(t, "active", enabled.Status)
	require.NotNil(t, enabled.ReplayedCount)
	require.Equal(t, states["dead"], *enabled.ReplayedCount, "all that is dead, and nothing else")
	all := r.malote.on(t).awaitClosed("endpoint=" + made.ID)
	require.Equal(t, map[string]int{"delivered": 22 - late, "skipped": 1 + late}, counted(all))
	require.Equal(t, "endpoint_disabled", r.malote.on(t).awaitOne(missed).SkipReason)
	require.Len(t, r.script.to(path), sent+22-late)
}

// requireStill: what was under way when the endpoint was disabled ends; nothing
// else is sent. It gives how many deliveries are in which state, and how many
// requests came.
func (r *run) requireStill(t *testing.T, made endpoint, path string) (states map[string]int, sent int) {
	t.Helper()
	list := r.malote.on(t).await("endpoint="+made.ID, "none is under way", func(list []delivery) bool {
		return counted(list)["sending"] == 0
	})
	sent = len(r.script.to(path))
	require.GreaterOrEqual(t, sent, 100)
	require.LessOrEqual(t, sent, 109, "a hundred, and the nine beside the last")
	select {
	case <-t.Context().Done():
	case <-time.After(tooFew):
	}
	require.Len(t, r.script.to(path), sent)
	return counted(list), sent
}

func counted(list []delivery) map[string]int {
	states := make(map[string]int)
	for _, d := range list {
		states[d.State]++
	}
	return states
}
