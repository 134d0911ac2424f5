package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func always() bool { return true }

// theIncident is the one that this package is named for, but shorter.
func theIncident() Incident {
	return Incident{
		Destinations: 1800, SlowDestinations: 1, Workers: 16, Rate: 40, SlowRate: 12,
		Answer: 80 * time.Millisecond, SlowAnswer: 28 * time.Second,
		Duration: 4 * time.Minute, SlowFrom: time.Minute, SlowUntil: 3 * time.Minute, Seed: 1,
	}
}

func TestIncident_OneQueueStallsEverybodyAndLanesNobody(t *testing.T) {
	t.Parallel()
	one, ok := theIncident().Run(OneQueue, always)
	require.True(t, ok)
	require.Greater(t, one.Healthy.During.P50, 30*time.Second)
	require.Greater(t, one.Healthy.MostWaiting, 3000)
	require.Zero(t, one.Slow.TimedOut, "it waits longer than the slow one takes")

	lanes, ok := theIncident().Run(Lanes, always)
	require.True(t, ok)
	require.InDelta(t, lanes.Healthy.Before.P99.Seconds(), lanes.Healthy.During.P99.Seconds(), 0.05)
	require.Less(t, lanes.Healthy.During.Max, time.Second)
	require.Positive(t, lanes.Slow.TimedOut)
	require.Greater(t, lanes.Slow.During.P50, one.Slow.During.P50, "the price: it is paused for longer than it is slow")
}

// One event is one delivery in every system, all are the same, and all end.
func TestIncident_NothingIsLost(t *testing.T) {
	t.Parallel()
	incident := theIncident()
	incident.SlowDestinations = 5
	var before *Result
	for _, system := range []System{OneQueue, LanesWithoutQuota, Lanes} {
		r, ok := incident.Run(system, always)
		require.True(t, ok)
		for _, group := range []Group{r.Healthy, r.Slow} {
			for _, l := range []Latency{group.Before, group.During, group.After} {
				require.Equal(t, l.Published, l.Delivered)
				require.LessOrEqual(t, l.InTime, l.Delivered)
				require.Positive(t, l.P50)
				require.LessOrEqual(t, l.P50, l.P95)
				require.LessOrEqual(t, l.P95, l.P99)
				require.LessOrEqual(t, l.P99, l.Max)
			}
			require.Zero(t, group.Dead)
		}
		require.Len(t, r.Samples, samples)
		require.Equal(t, incident.Duration, r.Samples[samples-1].Until)
		if before != nil {
			require.Equal(t, before.Healthy.During.Published, r.Healthy.During.Published)
			require.Equal(t, before.Slow.After.Published, r.Slow.After.Published)
		}
		before = &r
	}
}

// Five slow destinations with four in flight each could hold sixteen slots.
func TestIncident_TheQuotaKeepsSlotsForTheQuick(t *testing.T) {
	t.Parallel()
	incident := theIncident()
	incident.SlowDestinations = 5
	with, _ := incident.Run(Lanes, always)
	without, _ := incident.Run(LanesWithoutQuota, always)
	require.Less(t, with.Healthy.During.P95, time.Second)
	require.Greater(t, without.Healthy.During.P95, 2*time.Second)
}

func TestIncident_IsTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	incident := theIncident()
	incident.Duration, incident.SlowFrom, incident.SlowUntil = time.Minute, 10*time.Second, 40*time.Second
	one, _ := incident.Run(Lanes, always)
	again, _ := incident.Run(Lanes, always)
	require.Equal(t, one, again)
	incident.Seed++
	other, _ := incident.Run(Lanes, always)
	require.NotEqual(t, one, other)
}

func TestIncident_EndsWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	asked := 0
	_, ok := theIncident().Run(OneQueue, func() bool { asked++; return asked < 3 })
	require.False(t, ok)
	require.Equal(t, 3, asked)
}

// Answers that are slower than even the one queue waits for are repeated.
func TestIncident_OneQueueGivesUpAfterThirtySeconds(t *testing.T) {
	t.Parallel()
	incident := theIncident()
	incident.SlowAnswer = time.Minute
	r, ok := incident.Run(OneQueue, always)
	require.True(t, ok)
	require.Positive(t, r.Slow.TimedOut)
	require.Greater(t, r.Slow.Attempts, r.Slow.TimedOut)
}

func TestIncident_WithNothingPublishedInAPiece(t *testing.T) {
	t.Parallel()
	incident := theIncident()
	incident.Rate, incident.SlowRate = 0.05, 0.05
	r, ok := incident.Run(Lanes, always)
	require.True(t, ok)
	empty := 0
	for _, s := range r.Samples {
		if s.P50 == 0 {
			empty++
		}
	}
	require.Positive(t, empty)
}

func TestMeasure_SeesWhatWaits(t *testing.T) {
	t.Parallel()
	incident := Incident{SlowDestinations: 1, Destinations: 2, Duration: 10 * time.Second, SlowFrom: time.Second, SlowUntil: 2 * time.Second}
	m := newMeasure(incident, []arrival{{at: time.Second, destination: 1}, {at: 2 * time.Second, destination: 0}, {at: 3 * time.Second, destination: 1}})
	for n := range m.arrivals {
		m.published(n)
	}
	require.Equal(t, 4*time.Second, m.age(healthy, 5*time.Second))
	require.Equal(t, 3*time.Second, m.age(slow, 5*time.Second))
	first := &Attempt{Delivery: &Delivery{Number: 0, AcceptedAt: began.Add(time.Second), State: delivery.Delivered}, EndedAt: began.Add(6 * time.Second)}
	m.began(first)
	m.ended(first)
	require.Equal(t, 4*time.Second, m.age(healthy, 7*time.Second))
	r := m.result(Lanes)
	require.Equal(t, Latency{Published: 1, Delivered: 1, InTime: 1, P50: 5 * time.Second, P95: 5 * time.Second, P99: 5 * time.Second, Max: 5 * time.Second}, r.Healthy.During)
	require.Equal(t, 2, r.Healthy.MostWaiting)
	require.Equal(t, 4*time.Second, r.Healthy.Oldest)
	require.Equal(t, 1, r.Slow.After.Published)
	require.Zero(t, r.Slow.After.Delivered)
}

func TestHeap_GivesTheLeastFirst(t *testing.T) {
	t.Parallel()
	h := heap[int]{before: func(a, b int) bool { return a < b }}
	for _, n := range []int{5, 3, 9, 1, 7, 3, 8} {
		h.push(n)
	}
	var got []int
	for h.len() > 0 {
		first, found := h.first()
		require.True(t, found)
		require.Equal(t, first, h.pop())
		got = append(got, first)
	}
	require.Equal(t, []int{1, 3, 3, 5, 7, 8, 9}, got)
	_, found := h.first()
	require.False(t, found)
}
