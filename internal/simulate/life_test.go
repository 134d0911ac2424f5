package simulate

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// moods are what a receiver may be like for a while.
var moods = map[string]Receiver{
	"well":     answering(200, 50*time.Millisecond),
	"sluggish": answering(204, 6*time.Second),
	"hanging":  answering(200, time.Minute),
	"failing":  answering(500, 20*time.Millisecond),
	"refusing": answering(400, 20*time.Millisecond),
	"down":     down,
	"busy":     func(time.Time) delivery.Outcome { return delivery.Outcome{Status: 429, RetryAfter: "90"} },
	"greedy":   func(time.Time) delivery.Outcome { return delivery.Outcome{Status: 503, RetryAfter: "9999999"} },
	"murderous": func(at time.Time) delivery.Outcome {
		if at.Minute() < 3 { // not all the time, or one life has a hundred thousand attempts
			return workerDies(at)
		}
		return down(at)
	},
}

// drawReceiver is in one mood after another, and well in the end.
func drawReceiver(t *rapid.T) Receiver {
	type spell struct {
		until time.Time
		mood  Receiver
	}
	names := []string{"well", "sluggish", "hanging", "failing", "refusing", "down", "busy", "greedy", "murderous"}
	at := start
	var spells []spell
	for range rapid.IntRange(0, 6).Draw(t, "spells") {
		length := rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second, 10 * time.Minute, 5 * time.Hour, 2 * day, 6 * day}).Draw(t, "length")
		at = at.Add(length)
		spells = append(spells, spell{at, moods[rapid.SampledFrom(names).Draw(t, "mood")]})
	}
	return func(at time.Time) delivery.Outcome {
		for _, s := range spells {
			if at.Before(s.until) {
				return s.mood(at)
			}
		}
		return moods["well"](at)
	}
}

func drawLife(t *rapid.T) Life {
	accepted := []time.Time{start}
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		gap := rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, time.Minute, 3 * time.Hour}).Draw(t, "gap")
		accepted = append(accepted, accepted[len(accepted)-1].Add(gap))
	}
	return Life{
		Policy: preset(t, rapid.SampledFrom(policy.PresetNames()).Draw(t, "policy")),
		Endpoint: delivery.Endpoint{
			MaxInFlight: rapid.IntRange(0, 20).Draw(t, "limit"),
			AtMostOnce:  rapid.IntRange(0, 4).Draw(t, "at most once") == 0,
		},
		Accepted: accepted, Receiver: drawReceiver(t),
		Processes: rapid.IntRange(1, 3).Draw(t, "processes"), Slots: rapid.IntRange(1, 64).Draw(t, "slots"),
		Random: drawRandom(t),
	}
}

// Whatever a receiver does, under every contract: the limit holds (F03), no
// attempt is made while a circuit is open and one at a time while it is half open
// (G07), no attempt is early or past the window (F08, D05), and every delivery
// ends, unless its endpoint was given up on (F14, R06).
func TestLife_WhatAlwaysHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		life := drawLife(t)
		story := life.Run()
		require.Len(t, story.Deliveries, len(life.Accepted))
		limit := life.Endpoint.MaxInFlight
		if limit == 0 {
			limit = life.Policy.MaxInFlight
		}
		var underWay []*Attempt // counted anew, from the instants alone
		of := make(map[*Delivery][]*Attempt)
		for _, a := range story.Attempts {
			underWay = slices.DeleteFunc(underWay, func(other *Attempt) bool { return !other.EndedAt.After(a.Claim.ClaimedAt) })
			underWay = append(underWay, a)
			of[a.Delivery] = append(of[a.Delivery], a)
			require.LessOrEqual(t, len(underWay), min(limit, life.Processes*life.Slots))
			require.LessOrEqual(t, a.InFlight, a.Allowed)
			require.NotEqual(t, circuit.Open, a.Phase())
			if life.Policy.Circuit.Kind == circuit.HalfOpenProbe && a.Phase() == circuit.HalfOpen {
				require.Equal(t, 1, a.InFlight)
			}
		}
		for _, d := range story.Deliveries {
			checkDelivery(t, life, story, d, of[d])
		}
		checkSignals(t, story)
	})
}

func checkDelivery(t *rapid.T, life Life, story Story, d *Delivery, attempts []*Attempt) {
	for i, a := range attempts {
		require.Equal(t, i+1, a.Claim.CycleAttempt)
		require.False(t, a.Claim.ClaimedAt.Before(a.Claim.ScheduledAt), "early")
		require.False(t, pastAge(life.Policy, attempts[0], a), "past the window")
		if i > 0 {
			before := attempts[i-1]
			require.Equal(t, delivery.Pending, before.Decision.State, "nothing follows the end")
			require.Equal(t, before.Decision.NextAttemptAt, a.Claim.ScheduledAt)
			require.False(t, life.Endpoint.AtMostOnce && before.isLost(), "A06")
		}
	}
	if most := life.Policy.MostAttempts(); most > 0 {
		require.LessOrEqual(t, len(attempts), most)
	}
	switch d.State {
	case delivery.Pending:
		require.Equal(t, delivery.DisabledBySystem, story.Status, "it was forgotten")
	case delivery.Skipped:
		require.Empty(t, attempts)
		require.False(t, d.AcceptedAt.Before(story.Circuit.DisabledAt))
	default:
		require.False(t, d.State.Open(), "it was forgotten")
		require.Equal(t, attempts[len(attempts)-1].EndedAt, d.ClosedAt)
	}
}

func pastAge(p *policy.Policy, first, a *Attempt) bool {
	from := a.Claim.CycleStartedAt
	if p.GiveUp.AgeFrom == policy.FromFirstAttempt {
		from = first.Claim.ClaimedAt
	}
	return p.GiveUp.Age > 0 && a.Claim.ScheduledAt.Sub(from) > p.GiveUp.Age
}

func checkSignals(t *rapid.T, story Story) {
	isOpen := false
	for _, s := range story.Signals {
		switch s.Kind {
		case circuit.CircuitOpened, circuit.CircuitClosed:
			require.NotEqual(t, isOpen, s.Kind == circuit.CircuitOpened, "opened and closed take turns")
			isOpen = !isOpen
		}
	}
	disabled := story.kinds(circuit.EndpointDisabled)
	require.LessOrEqual(t, len(disabled), 1)
	require.Equal(t, len(disabled) == 1, story.Status == delivery.DisabledBySystem)
	for _, a := range story.Attempts {
		if len(disabled) == 1 {
			require.False(t, a.Claim.ClaimedAt.After(disabled[0].At), "a disabled endpoint is left alone")
		}
	}
}

func TestLife_IsTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	live := func(seed uint64) []time.Time {
		story := Life{
			Policy: preset(t, "gateway"), Accepted: every(time.Second, 50), Random: seeded(seed),
			Receiver: between(start, start.Add(time.Minute), down, moods["well"]),
		}.Run()
		var claimed []time.Time
		for _, a := range story.Attempts {
			claimed = append(claimed, a.Claim.ClaimedAt)
		}
		return claimed
	}
	require.Equal(t, live(1), live(1))
	require.False(t, slices.Equal(live(1), live(2)))
}
