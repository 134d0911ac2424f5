package endpoints

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// turn is something that befell an endpoint: a signal, or what somebody did.
type turn struct {
	At     time.Time
	Kind   string // a signal's kind, or an operation of the API's
	Detail string
	Actor  *actor // nil: nobody did it

	DeliveryID string // by which it happened; "": none
}

// signal is one of /v1/signals, as far as turns are made of it.
type signal struct {
	Kind       string    `json:"kind"`
	Detail     string    `json:"detail"`
	DeliveryID string    `json:"delivery_id"`
	CreatedAt  time.Time `json:"created_at"`
}

// act is one of /v1/audit_log, likewise.
type act struct {
	At        time.Time `json:"at"`
	ActorKind string    `json:"actor_kind"`
	ActorName string    `json:"actor_name"`
	Operation string    `json:"operation"`
	Detail    string    `json:"detail"`
}

// actor is who did something. Name is "" where the visitor may not know it.
type actor struct{ Kind, Name string }

func (a actor) name(ctx context.Context) string {
	switch {
	case a.Name != "" && a.Kind == "api_key":
		return byKeyText.In(ctx, a.Name)
	case a.Name != "":
		return a.Name
	case page.From(ctx).Visitor.Portal && a.Kind == "user":
		return byOperatorText.In(ctx)
	default:
		return actorWords.In(ctx, a.Kind)
	}
}

// Bounds of what one page shows of the past.
const (
	shownSignals = 8 // of each kind
	shownTurns   = 20
)

// turnsOf are the last turns of an endpoint, the newest first. Who may not see
// what people did, sees the signals.
func turnsOf(ctx context.Context, r *page.Request, e records.Endpoint) ([]turn, error) {
	var turns []turn
	for _, kind := range circuit.SignalKinds {
		found, err := page.GetIn[page.List[signal]](ctx, r, page.API("signals"), url.Values{
			"tenant": {e.Tenant}, "endpoint": {e.ID}, "kind": {string(kind)}, "limit": {strconv.Itoa(shownSignals)},
		})
		if err != nil {
			return nil, err
		}
		for _, s := range found.Data {
			turns = append(turns, turn{At: s.CreatedAt, Kind: s.Kind, Detail: s.Detail, DeliveryID: s.DeliveryID})
		}
	}
	acts, err := permitted[page.List[act]](ctx, r, page.API("audit_log"), url.Values{
		"tenant": {e.Tenant}, "subject": {e.ID}, "limit": {strconv.Itoa(shownTurns)},
	})
	if err != nil {
		return nil, err
	}
	if acts != nil {
		for _, a := range acts.Data {
			turns = append(turns, turn{At: a.At, Kind: a.Operation, Detail: a.Detail, Actor: &actor{a.ActorKind, a.ActorName}})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	return turns[:min(len(turns), shownTurns)], nil
}

func (t turn) tone() ui.Tone {
	switch t.Kind {
	case "circuit_opened", "endpoint_disabled":
		return ui.Bad
	case "endpoint_failing", "pause-webhook-endpoint", "disable-webhook-endpoint", "discard-webhook-endpoint":
		return ui.Warn
	case "circuit_closed", "enable-webhook-endpoint", "resume-webhook-endpoint":
		return ui.Good
	default:
		return ui.Muted
	}
}

var turnIcons = map[string]string{
	"circuit_opened": "warning", "circuit_closed": "check", "endpoint_failing": "warning", "endpoint_disabled": "off",
	"create-webhook-endpoint": "add", "update-webhook-endpoint": "edit", "pause-webhook-endpoint": "pause",
	"resume-webhook-endpoint": "play", "enable-webhook-endpoint": "play", "disable-webhook-endpoint": "off",
	"test-webhook-endpoint": "test", "discard-webhook-endpoint": "discard",
}

func (t turn) icon() string { return cmp.Or(turnIcons[t.Kind], "info") }

// detail is what a turn was about, where that is more than its kind says.
func (t turn) detail(ctx context.Context) string {
	switch t.Kind {
	case "endpoint_disabled":
		return disabledWords.In(ctx, t.Detail)
	case "update-webhook-endpoint":
		return changedText.In(ctx, t.Detail)
	case "circuit_opened":
		count, _, _ := strings.Cut(t.Detail, " ")
		return failedCount.In(ctx, count)
	case "endpoint_failing":
		span, err := time.ParseDuration(t.Detail)
		if err != nil {
			return t.Detail
		}
		return failingForText.In(ctx, lang.Duration(ctx, span))
	case "enable-webhook-endpoint":
		return countOf(t.Detail, func(n int) string { return replayedCount.In(ctx, n) })
	case "discard-webhook-endpoint":
		return countOf(t.Detail, func(n int) string { return discardedCount.In(ctx, n) })
	default:
		return ""
	}
}

// countOf puts a detail such as "replayed_count: 3" into words; "" for none.
func countOf(detail string, words func(int) string) string {
	_, number, _ := strings.Cut(detail, ": ")
	n, err := strconv.Atoi(number)
	if err != nil || n == 0 {
		return ""
	}
	return words(n)
}
