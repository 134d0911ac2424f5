package deliveries

import (
	"context"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
	"github.com/malotehq/malote/internal/delivery"
)

// columns are the list's; customers need not be told that all is theirs.
func columns(ctx context.Context) []lang.Text {
	list := []lang.Text{stateText, deliveryText, typeText}
	if page.From(ctx).Visitor.SeesAll() {
		list = append(list, tenantText)
	}
	return append(list, endpointText, attemptsText, lastText, acceptedText)
}

func stateOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Label: anyText.In(ctx)}}
	for _, state := range ui.States {
		options = append(options, ui.Option{Value: state, Label: ui.StateWords.In(ctx, state)})
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
