package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// output is what a demo prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func optionsFor(f *fake, out *output) Options {
	return Options{
		BaseURL: f.server.URL, AdminKey: fakeKey, Out: out, Seed: 3,
		Duration: 300 * time.Millisecond, Rate: 200, Drain: 400 * time.Millisecond, MaxP99: time.Minute,
		refresh: 100 * time.Millisecond, blocks: 300 * time.Millisecond, secondLook: 50 * time.Millisecond,
	}
}

func TestRun_AccountsForEverything(t *testing.T) {
	t.Parallel()
	f, out := newFake(t, tricks{unavailable: 3}), &output{}
	options := optionsFor(f, out)
	options.Duration = 750 * time.Millisecond
	summary, err := Run(t.Context(), options)
	require.NoError(t, err, "%s", out.String())
	require.True(t, summary.OK)
	require.Empty(t, summary.Faults)
	require.Equal(t, 150, summary.Events.Published)
	require.Positive(t, summary.Events.Batches)
	require.Positive(t, summary.Events.Repeats)
	require.True(t, f.hasRaw())
	require.Equal(t, 12, summary.Tenants)
	require.GreaterOrEqual(t, summary.Endpoints, 60)
	for _, state := range []delivery.State{delivery.Delivered, delivery.Dead, delivery.Pending, delivery.Skipped} {
		require.Positive(t, summary.Deliveries.ByState[state], state)
	}
	require.Positive(t, summary.Healthy.Deliveries)
	require.GreaterOrEqual(t, summary.Healthy.P99, summary.Healthy.P50)

	for _, phase := range []phase{settingUp, publishing, draining} {
		require.Contains(t, out.String(), phase)
	}
	require.Contains(t, out.String(), "OK: every one of 150 events")
	require.Contains(t, out.String(), "attempt 2 of 10 at ")
	require.NotContains(t, out.String(), "\x1b", "this is no terminal")
	encoded, err := json.Marshal(summary)
	require.NoError(t, err)
	require.Contains(t, string(encoded), `"p99_ms"`)
}

func TestRun_ASecondDemoHasTenantsOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFake(t, tricks{})
	options := optionsFor(f, &output{})
	options.Duration, options.Rate, options.Drain, options.Policy = 100*time.Millisecond, 100, 100*time.Millisecond, "standard"
	for range 2 {
		_, err := Run(t.Context(), options)
		require.NoError(t, err)
	}
	require.Len(t, f.tenants, 24)
}

func TestRun_FindsWhatAPlatformDoesWrong(t *testing.T) {
	t.Parallel()
	out := &output{}
	platform := newFake(t, tricks{loseEvent: 17, loseDelivery: 16, feign: 13, reencode: 11, twice: 10, forge: 9, twoEvents: true})
	summary, err := Run(t.Context(), optionsFor(platform, out))
	require.ErrorIs(t, err, ErrUnaccounted)
	require.False(t, summary.OK)
	kinds := map[FaultKind]bool{}
	for _, fault := range summary.Faults {
		kinds[fault.Kind] = true
	}
	for _, kind := range []FaultKind{LostEvent, LostDelivery, NotReceived, OtherData, ChangedBytes, BadSignature, TwoEvents} {
		require.True(t, kinds[kind], "%s is not among %v", kind, kinds)
	}
	require.Contains(t, out.String(), "FAILED")
	for kind := range kinds {
		require.Contains(t, out.String(), kind)
	}
}

func TestRun_LooksTwiceAtWhatMayBeAMatterOfTime(t *testing.T) {
	t.Parallel()
	options := optionsFor(newFake(t, tricks{wait: 300 * time.Millisecond}), &output{})
	options.Duration, options.Drain, options.secondLook = 100*time.Millisecond, time.Millisecond, 3*time.Second
	_, err := Run(t.Context(), options)
	require.NoError(t, err)
}

func TestRun_FindsThatHealthyEndpointsWait(t *testing.T) {
	t.Parallel()
	f, out := newFake(t, tricks{wait: 30 * time.Millisecond}), &output{}
	options := optionsFor(f, out)
	options.MaxP99 = 20 * time.Millisecond
	summary, err := Run(t.Context(), options)
	require.ErrorIs(t, err, ErrTooSlow)
	require.Greater(t, summary.Healthy.WorstP99, 20.0)
	require.Contains(t, out.String(), "too long")
}

func TestRun_CanBeInterrupted(t *testing.T) {
	t.Parallel()
	f, out := newFake(t, tricks{}), &output{}
	options := optionsFor(f, out)
	options.Duration, options.Terminal, options.Width, options.Height = time.Hour, true, 90, 30
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		assert.Eventually(t, func() bool { return strings.Contains(out.String(), "publishing") }, time.Minute, 10*time.Millisecond)
	}()
	summary, err := Run(ctx, options)
	require.ErrorIs(t, err, ErrInterrupted)
	require.True(t, summary.Interrupted)
	require.False(t, summary.OK)
	require.Contains(t, out.String(), "Interrupted")
	require.Contains(t, out.String(), "\x1b[", "on a terminal it is drawn over")
}

func TestRun_SaysWhyItCannotBegin(t *testing.T) {
	t.Parallel()
	f := newFake(t, tricks{})
	options := optionsFor(f, &output{})
	options.AdminKey = "wrong"
	_, err := Run(t.Context(), options)
	require.ErrorContains(t, err, "unauthenticated")

	options = optionsFor(f, &output{})
	options.Policy = "dracma"
	_, err = Run(t.Context(), options)
	require.ErrorContains(t, err, "header names of its own")

	_, err = Run(t.Context(), Options{})
	require.Error(t, err)
}
