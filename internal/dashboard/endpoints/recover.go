package endpoints

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// window is what a recovery is to be about, as the form has it.
type window struct {
	Since, Until string   // RFC 3339; Until "": the present
	States       []string // of the API's
}

// recoverable are the states that a recovery may take, and those that it takes
// unless somebody chooses.
var (
	recoverable = []string{"skipped", "dead", "discarded"}
	usualStates = []string{"skipped", "dead"}
)

func windowOf(r *page.Request) window {
	w := window{Since: page.Instant(r.Field("since")), Until: page.Instant(r.Field("until"))}
	for _, state := range r.PostForm["states"] {
		if slices.Contains(recoverable, state) {
			w.States = append(w.States, state)
		}
	}
	return w
}

func (w window) request(dryRun bool) members {
	body := members{"since": w.Since}
	if w.Until != "" {
		body["until"] = w.Until
	}
	if len(w.States) > 0 {
		body["states"] = w.States
	}
	if dryRun {
		body["dry_run"] = true
	}
	return body
}

// suggested is the window that the form begins with: since it began to fail, or
// the last day.
func suggested(e records.Endpoint, now time.Time) window {
	since := now.Add(-24 * time.Hour)
	if first := records.At(e.FirstFailureAt); !first.IsZero() && first.Before(since) {
		since = first
	}
	return window{Since: since.UTC().Truncate(time.Minute).Format(time.RFC3339), States: usualStates}
}

// recoverView is what the page about recoveries shows.
type recoverView struct {
	Endpoint   records.Endpoint
	Recoveries []records.Recovery // the newest first
	Paging     page.Paging
	Window     window
	Preview    *records.Recovery // of the window, if it was asked for
	Refusal    *page.Problem
}

// running is the recovery that goes on; nil: none does.
func (v recoverView) running() *records.Recovery {
	for i, recovery := range v.Recoveries {
		if recovery.EndedAt == nil {
			return &v.Recoveries[i]
		}
	}
	return nil
}

func recoverViewOf(r *page.Request) (view recoverView, err error) {
	if view.Endpoint, err = endpointOf(r); err != nil {
		return recoverView{}, err
	}
	query := url.Values{"limit": {strconv.Itoa(shownDeliveries)}}
	if cursor := r.Cursor(); cursor != "" {
		query.Set("cursor", cursor)
	}
	found, err := page.Get[page.List[records.Recovery]](r, api(view.Endpoint.ID, "recoveries"), query)
	view.Recoveries, view.Paging = found.Data, r.Pages(found.NextCursor)
	view.Window = suggested(view.Endpoint, page.From(r.Context()).Now)
	return view, err
}

func showRecoveries(r *page.Request) error {
	view, err := recoverViewOf(r)
	if err != nil {
		return err
	}
	return showRecoverView(r, view)
}

func showRecoverView(r *page.Request, view recoverView) error {
	status := http.StatusOK
	if view.Refusal != nil {
		status = view.Refusal.Status
	}
	return r.Show(page.Content{
		Title: recoverTabText.In(r.Context()) + " · " + view.Endpoint.URL, Status: status, Body: recoverPage(view),
	})
}

func streamRecoveries(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	query := url.Values{"limit": {strconv.Itoa(shownDeliveries)}}
	return page.StreamEvery(r, refreshEvery, func(ctx context.Context, s *page.Stream) error {
		found, err := page.GetIn[page.List[records.Recovery]](ctx, r, api(id, "recoveries"), query)
		if err != nil {
			return err
		}
		return s.Part(page.WithTime(ctx, time.Now()), recoveries(id, found.Data))
	})
}

// preview counts what a recovery would be about.
func preview(r *page.Request) error {
	view, err := recoverViewOf(r)
	if err != nil {
		return err
	}
	view.Window = windowOf(r)
	counted, err := page.Send[records.Recovery](r, http.MethodPost, api(view.Endpoint.ID, "recover"), view.Window.request(true))
	if problem, refused := page.IsRefusal(err); refused {
		view.Refusal = problem
		return showRecoverView(r, view)
	}
	if err != nil {
		return err
	}
	view.Preview = &counted
	return showRecoverView(r, view)
}

func startRecovery(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	if _, err := page.Send[page.Nothing](r, http.MethodPost, api(id, "recover"), windowOf(r).request(false)); err != nil {
		return err
	}
	r.Tell(page.Done, startedText)
	return r.Redirect(path(id, string(recoverTab)))
}

func cancelRecovery(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	if _, err := page.Send[page.Nothing](r, http.MethodPost, page.API("recoveries", r.PathValue("recovery"), "cancel"), nil); err != nil {
		return err
	}
	r.Tell(page.Done, cancelledText)
	return r.Redirect(path(id, string(recoverTab)))
}
