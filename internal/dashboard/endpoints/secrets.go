package endpoints

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// secretsView is what the page about an endpoint's secrets shows.
type secretsView struct {
	Endpoint records.Endpoint
	Secrets  []records.EndpointSecret // the newest first
	Refusal  *page.Problem
}

func showSecrets(r *page.Request) error { return showSecretsWith(r, nil) }

func showSecretsWith(r *page.Request, refused *page.Problem) error {
	endpoint, err := endpointOf(r)
	if err != nil {
		return err
	}
	list, err := page.Get[page.List[records.EndpointSecret]](r, api(endpoint.ID, "secrets"), nil)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if refused != nil {
		status = refused.Status
	}
	return r.Show(page.Content{
		Title: secretsText.In(r.Context()) + " · " + endpoint.URL, Status: status,
		Body: secretsPage(secretsView{endpoint, list.Data, refused}),
	})
}

// overlaps are how long the old secrets may go on signing, as the form offers it.
var overlaps = []struct {
	value string
	span  time.Duration
}{
	{"0s", 0}, {"1h", time.Hour}, {"24h", 24 * time.Hour}, {"72h", 72 * time.Hour}, {"168h", 7 * 24 * time.Hour}, {"720h", 30 * 24 * time.Hour},
}

const usualOverlap = "24h"

func overlapOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, len(overlaps))
	for i, o := range overlaps {
		options[i] = ui.Option{Value: o.value, Label: lang.Duration(ctx, o.span)}
		if o.span == 0 {
			options[i].Label = atOnceText.In(ctx)
		}
	}
	return options
}

func rotate(r *page.Request) error {
	endpoint, err := endpointOf(r)
	if err != nil {
		return err
	}
	body := members{"overlap": r.Field("overlap")}
	if value := r.Field("value"); value != "" {
		body["value"] = value
	}
	made, err := page.Send[records.EndpointSecret](r, http.MethodPost, api(endpoint.ID, "secrets", "rotate"), body)
	if problem, refused := page.IsRefusal(err); refused {
		return showSecretsWith(r, problem)
	}
	if err != nil {
		return err
	}
	view := issued{Endpoint: endpoint, Secret: made.Value}
	if overlap, err := time.ParseDuration(r.Field("overlap")); err == nil {
		view.Until = made.CreatedAt.Add(overlap)
	}
	return showSecretOnce(r, view)
}

func revoke(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, api(id, "secrets", r.PathValue("secret")), nil); err != nil {
		return err
	}
	r.Tell(page.Done, revokedText)
	return r.Redirect(path(id, string(secretsTab)))
}
