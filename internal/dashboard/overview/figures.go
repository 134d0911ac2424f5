package overview

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// Ages of the oldest pending delivery over healthy endpoints from which on the
// platform, and not a customer, is what is slow.
const (
	slowAge     = 30 * time.Second
	verySlowAge = 5 * time.Minute
)

func healthyTone(seconds float64) ui.Tone {
	switch age := records.Seconds(seconds); {
	case age >= verySlowAge:
		return ui.Bad
	case age >= slowAge:
		return ui.Warn
	default:
		return ui.Neutral
	}
}

// Shares of attempts that succeed below which something is wrong.
const (
	goodRate = 0.99
	badRate  = 0.9
)

func rateTone(rate *float64) ui.Tone {
	switch {
	case rate == nil || *rate >= goodRate:
		return ui.Neutral
	case *rate >= badRate:
		return ui.Warn
	default:
		return ui.Bad
	}
}

func perSecond(ctx context.Context, x float64) string {
	if x < 10 {
		return lang.Decimal(ctx, x, 1)
	}
	return lang.Decimal(ctx, x, 0)
}

func rateText(ctx context.Context, rate *float64) string {
	if rate == nil {
		return "–"
	}
	return lang.Percent(ctx, *rate)
}

func age(ctx context.Context, seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return lang.Duration(ctx, records.Seconds(seconds))
}

func millis(ctx context.Context, ms *float64) string {
	if ms == nil {
		return "–"
	}
	return lang.Duration(ctx, time.Duration(*ms*float64(time.Millisecond)))
}

func atLeast(ctx context.Context, n int, more bool) string {
	if more {
		return lang.Number(ctx, n) + "+"
	}
	return lang.Number(ctx, n)
}

// reason says in a few words what holds an endpoint up.
func reason(ctx context.Context, lane records.Lane) string {
	switch {
	case lane.Status == "paused":
		return byPause.In(ctx)
	case lane.Status != "active":
		return byDisabled.In(ctx)
	case lane.Circuit == "open":
		return byCircuit.In(ctx, lane.ConsecutiveFailures)
	case lane.Circuit == "half_open":
		return byProbing.In(ctx)
	case lane.Limit < lane.MaxInFlight:
		return bySlowDown.In(ctx, lane.Limit, lane.MaxInFlight)
	case lane.ConsecutiveFailures > 0:
		return byFailures.In(ctx, lane.ConsecutiveFailures)
	case lane.InFlight >= lane.Limit:
		return byLimit.In(ctx)
	default:
		return byCapacity.In(ctx)
	}
}
