package overview

import (
	"context"
	"math"
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

// charts are the attempts of the last day by the hour, and how long they took.
func charts(series records.Series) []ui.ChartView {
	attempts := ui.ChartView{ID: "chart-attempts", Title: attemptsTitle, Series: []ui.Series{
		{Label: okText, Tone: ui.Good, Bars: true}, {Label: failedText, Tone: ui.Bad},
	}}
	latency := ui.ChartView{ID: "chart-latency", Title: latencyTitle, Unit: "ms", Series: []ui.Series{
		{Label: p50Text, Tone: ui.Neutral}, {Label: p95Text, Tone: ui.Busy}, {Label: p99Text, Tone: ui.Warn},
	}}
	for _, hour := range series.Data {
		attempts.Times, latency.Times = append(attempts.Times, hour.Hour), append(latency.Times, hour.Hour)
		for i, value := range []float64{float64(hour.OK), float64(hour.Failed)} {
			attempts.Series[i].Values = append(attempts.Series[i].Values, value)
		}
		for i, value := range []*float64{hour.P50, hour.P95, hour.P99} {
			latency.Series[i].Values = append(latency.Series[i].Values, orNaN(value))
		}
	}
	return []ui.ChartView{attempts, latency}
}

func orNaN(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
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
