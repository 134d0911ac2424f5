package endpoints

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// acting makes the handler of an action that only changes the endpoint's status.
func acting(action string, done lang.Text) page.Handler {
	return func(r *page.Request) error {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		if _, err := page.Send[page.Nothing](r, http.MethodPost, api(id, action), nil); err != nil {
			return err
		}
		r.Tell(page.Done, done)
		return r.Redirect(path(id))
	}
}

func enable(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	enabled, err := page.Send[records.Endpoint](r, http.MethodPost, api(id, "enable"), nil)
	if err != nil {
		return err
	}
	text := enabledText.In(r.Context())
	if enabled.ReplayedCount > 0 {
		text += " " + replayedCount.In(r.Context(), enabled.ReplayedCount)
	}
	r.Say(page.Done, text)
	return r.Redirect(path(id))
}

func discard(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	discarded, err := page.Send[struct {
		Count int `json:"discarded_count"`
	}](r, http.MethodPost, api(id, "discard"), nil)
	if err != nil {
		return err
	}
	r.Say(page.Done, discardedCount.In(r.Context(), discarded.Count))
	return r.Redirect(path(id, string(deliveriesTab)))
}

// test waits for the attempt, and shows it above the endpoint's page.
func test(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	result, err := page.Send[records.EndpointTest](r, http.MethodPost, api(id, "test"), nil)
	if err != nil {
		return err
	}
	view, err := viewOf(r)
	if err != nil {
		return err
	}
	view.Test = &result
	return showView(r, view)
}

// remove deletes an endpoint, once its name was typed.
func remove(r *page.Request) error {
	endpoint, err := endpointOf(r)
	if err != nil {
		return err
	}
	if !strings.EqualFold(r.Field("confirmation"), confirmation(endpoint.URL)) {
		r.Tell(page.Failed, notConfirmedText, confirmation(endpoint.URL))
		return r.Redirect(page.Link(path(endpoint.ID, string(settingsTab)), "dialog", "delete"))
	}
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, api(endpoint.ID), nil); err != nil {
		return err
	}
	r.Tell(page.Done, deletedText, endpoint.URL)
	return r.Redirect("/endpoints")
}

// confirmation is what has to be typed before an endpoint is deleted: the host
// of its URL, or the whole if it has none.
func confirmation(address string) string {
	target, err := url.Parse(address)
	if err != nil || target.Host == "" {
		return address
	}
	return target.Host
}
