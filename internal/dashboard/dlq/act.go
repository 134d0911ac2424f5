package dlq

import (
	"net/http"
	"slices"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// preview is what redelivering would do.
type preview struct {
	Going   []records.Replayed
	Staying []records.Replayed // cannot be replayed
	Changed bool               // since somebody looked at it
}

// resolving is a reason that somebody is about to give.
type resolving struct {
	IDs    []string
	Reason string
	Fault  string
}

// outcome is what was done, item by item.
type outcome struct {
	Sent     []records.Replayed
	Resolved []records.Resolved
	Done     int // of the resolved ones: that were dead
}

// The dialogs, and what the buttons of the form do.
const (
	previewDialog = "preview"
	resolveDialog = "resolving"

	doPreview    = "preview"
	doRedeliver  = "redeliver"
	doAskResolve = "ask"
	doResolve    = "resolve"
)

// act does what the form's button says, and shows the same place of the list again:
// what was worked off is gone, and the next ones stand there.
func act(r *page.Request) error {
	ids := r.PostForm["ids"]
	var done outcome
	var err error
	switch do := r.Field("do"); {
	case len(ids) == 0:
		return after(r, nil, func(v *view) { v.Refusal = refusal(nothingTicked.In(r.Context())) })
	case do == doPreview:
		return showPreview(r, ids, false)
	case do == doAskResolve:
		return ask(r, resolving{IDs: ids})
	case do == doRedeliver:
		done, err = redeliver(r, ids)
	case do == doResolve:
		done, err = resolve(r, ids)
	default:
		return &page.Problem{Status: http.StatusBadRequest, Code: "invalid_request"}
	}
	problem, refused := page.IsRefusal(err)
	switch {
	case refused && problem.Code == "webhook_delivery_not_replayable":
		return showPreview(r, ids, true) // somebody was quicker
	case refused && ui.FaultOf(problem, "reason") != "":
		return ask(r, resolving{IDs: ids, Reason: r.Field("reason"), Fault: reasonHelp.In(r.Context())})
	case refused:
		return after(r, ids, func(v *view) { v.Refusal = problem })
	case err != nil:
		return err
	}
	return after(r, nil, func(v *view) { v.Outcome = &done })
}

func redeliver(r *page.Request, ids []string) (outcome, error) {
	answer, err := page.Send[records.Replay](r, http.MethodPost, page.API("webhook_deliveries", "replay"), replayRequest{IDs: ids})
	return outcome{Sent: answer.Data}, err
}

func resolve(r *page.Request, ids []string) (outcome, error) {
	answer, err := page.Send[records.Resolution](r, http.MethodPost, page.API("webhook_deliveries", "resolve"),
		resolveRequest{IDs: ids, Reason: r.Field("reason")})
	return outcome{Resolved: answer.Data, Done: answer.Resolved}, err
}

type replayRequest struct {
	IDs     []string `json:"ids"`
	Preview bool     `json:"preview,omitempty"`
}

type resolveRequest struct {
	IDs    []string `json:"ids"`
	Reason string   `json:"reason"`
}

// showPreview asks the API what goes where, and what cannot.
func showPreview(r *page.Request, ids []string, changed bool) error {
	answer, err := page.Send[records.Replay](r, http.MethodPost, page.API("webhook_deliveries", "replay"), replayRequest{IDs: ids, Preview: true})
	if problem, refused := page.IsRefusal(err); refused {
		return after(r, ids, func(v *view) { v.Refusal = problem })
	}
	if err != nil {
		return err
	}
	p := &preview{Changed: changed}
	for _, one := range answer.Data {
		if one.Refusal == "" {
			p.Going = append(p.Going, one)
		} else {
			p.Staying = append(p.Staying, one)
		}
	}
	return after(r, ids, func(v *view) {
		v.Preview = p
		page.From(r.Context()).Dialog = previewDialog
	})
}

func ask(r *page.Request, asked resolving) error {
	return after(r, asked.IDs, func(v *view) {
		v.Resolving = &asked
		page.From(r.Context()).Dialog = resolveDialog
	})
}

// after shows the list as it is now, with what happened. Where nothing is left at
// this place it begins anew.
func after(r *page.Request, ticked []string, what func(*view)) error {
	v, err := viewOf(r)
	if err == nil && len(v.Rows) == 0 && r.Cursor() != "" {
		first := *r.URL
		query := first.Query()
		query.Del("cursor")
		query.Del("back")
		first.RawQuery = query.Encode()
		r.URL = &first
		v, err = viewOf(r)
	}
	if err != nil {
		return err
	}
	for _, id := range ticked {
		v.Ticked[id] = true
	}
	what(v)
	return show(r, v)
}

func refusal(text string) *page.Problem {
	return &page.Problem{Status: http.StatusUnprocessableEntity, Detail: text}
}

// target is an address with how much goes there.
type target struct {
	URL   string
	Count int
}

// targets are where a preview's deliveries go, the most first.
func (p preview) targets() []target {
	var list []target
	for _, one := range p.Going {
		i := slices.IndexFunc(list, func(t target) bool { return t.URL == one.URL })
		if i < 0 {
			i, list = len(list), append(list, target{URL: one.URL})
		}
		list[i].Count++
	}
	slices.SortStableFunc(list, func(a, b target) int { return b.Count - a.Count })
	return list
}

// stayed are those of an outcome that were not resolved.
func (o outcome) stayed() []records.Resolved {
	var list []records.Resolved
	for _, one := range o.Resolved {
		if !one.Resolved {
			list = append(list, one)
		}
	}
	return list
}
