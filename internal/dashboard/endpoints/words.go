package endpoints

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// sentences say how the endpoint is doing, and what follows from it.
func (s state) sentences(ctx context.Context) []string {
	e := s.Endpoint
	waits := waiting(ctx, e)
	switch s.Is {
	case paused:
		return []string{collectsText.In(ctx) + " " + waits}
	case disabledByOne, disabledByUs:
		return []string{skipsText.In(ctx) + " " + waits}
	case opened:
		return []string{failedInRow.In(ctx, e.ConsecutiveFailures) + " " + openedAdvice.In(ctx), waits}
	case probed:
		return []string{failedInRow.In(ctx, e.ConsecutiveFailures) + " " + probedAdvice.In(ctx), waits}
	case failing:
		return []string{failedInRow.In(ctx, e.ConsecutiveFailures) + " " + failingAdvice.In(ctx)}
	case slowed:
		return []string{slowedAdvice.In(ctx, e.Limit, e.MaxInFlight)}
	case unused:
		return []string{unusedAdvice.In(ctx)}
	default:
		return []string{healthyAdvice.In(ctx)}
	}
}

// waiting says how many deliveries wait.
func waiting(ctx context.Context, e records.Endpoint) string {
	if orNone(e.Pending) == 0 {
		return nothingWaits.In(ctx)
	}
	return waitsThere.In(ctx, *e.Pending)
}

// lateAfter is how long something may wait at an endpoint before that is worth a
// colour.
const lateAfter = 5 * time.Minute

func (s state) waitingTone() ui.Tone {
	age := s.Endpoint.OldestPendingSeconds
	if age != nil && time.Duration(*age)*time.Second >= lateAfter {
		return ui.Warn
	}
	return ui.Neutral
}

func (s state) failuresTone() ui.Tone {
	switch {
	case s.Endpoint.ConsecutiveFailures == 0:
		return ui.Neutral
	case s.Is.circuitHolds(), s.Is == disabledByUs:
		return ui.Bad
	default:
		return ui.Warn
	}
}

func ago(ctx context.Context, at *time.Time) string {
	if at == nil {
		return neverText.In(ctx)
	}
	return lang.Relative(ctx, *at, page.From(ctx).Now)
}

func rateOf(ctx context.Context, limit *float64) string {
	if limit == nil {
		return noLimitText.In(ctx)
	}
	digits := 0
	for x := *limit; digits < 3 && x != float64(int64(x)); digits++ {
		x *= 10
	}
	return perSecondText.In(ctx, lang.Decimal(ctx, *limit, digits))
}

func orderOf(ctx context.Context, ordered bool) string {
	if ordered {
		return orderedText.In(ctx)
	}
	return unorderedText.In(ctx)
}

func attempted(series records.Series) bool {
	for _, hour := range series.Data {
		if hour.Sent > 0 {
			return true
		}
	}
	return false
}

func testTone(result records.EndpointTest) ui.Tone {
	if result.Attempt.ErrorCode == "" {
		return ui.Good
	}
	return ui.Bad
}

func testIcon(result records.EndpointTest) string {
	if result.Attempt.ErrorCode == "" {
		return "check"
	}
	return "close"
}
