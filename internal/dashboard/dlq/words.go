package dlq

import (
	"context"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
	"github.com/malotehq/malote/internal/delivery"
)

func reasonOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Label: anyText.In(ctx)}}
	for _, reason := range deadReasons {
		options = append(options, ui.Option{Value: reason, Label: deadNames.In(ctx, reason)})
	}
	return options
}

func errorOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Label: anyText.In(ctx)}}
	for _, code := range delivery.ErrorCodes {
		if code.OfMail() { // the API does not filter by them
			continue
		}
		options = append(options, ui.Option{Value: string(code), Label: ui.ErrorNames.In(ctx, string(code))})
	}
	return options
}

func orderOptions(ctx context.Context) []ui.Option {
	return []ui.Option{{Value: oldestFirst, Label: oldestText.In(ctx)}, {Value: newestFirst, Label: newestText.In(ctx)}}
}

// reasonName is why something died, and how its last attempt went.
func reasonName(ctx context.Context, reason, errorCode string) string {
	if errorCode == "" {
		return deadNames.In(ctx, reason)
	}
	return deadNames.In(ctx, reason) + " · " + ui.ErrorNames.In(ctx, errorCode)
}

func atLeast(ctx context.Context, left records.Dead) string {
	if left.AtLeast {
		return lang.Number(ctx, left.Total) + "+"
	}
	return lang.Number(ctx, left.Total)
}

func lateTone(left records.Dead) ui.Tone {
	if left.Over24h > 0 {
		return ui.Warn
	}
	return ui.Neutral
}
