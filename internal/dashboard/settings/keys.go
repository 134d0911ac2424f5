package settings

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// key is one of /v1/keys.
type key struct {
	ID        string     `json:"id"`
	Scope     string     `json:"scope"`
	Tenant    string     `json:"tenant"` // "": it is an administrator's
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Key       string     `json:"key"` // of one that was just made
}

// scopes in the order in which the form offers them: the narrowest first.
var scopes = []string{"publish", "read", "tenant", "admin"}

func scopeOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, len(scopes))
	for i, scope := range scopes {
		options[i] = ui.Option{Value: scope, Label: scopeChoices.In(ctx, scope)}
	}
	return options
}

type keysView struct {
	Tenant  string
	Rows    []key
	Paging  page.Paging
	Refusal *page.Problem
}

func showKeys(r *page.Request) error {
	view, query := keysView{Tenant: r.Query("tenant")}, cursorOf(r)
	if view.Tenant != "" {
		query.Set("tenant", view.Tenant)
	}
	found, err := page.Get[page.List[key]](r, page.API("keys"), query)
	if view.Refusal, err = refusalIn(err); err != nil {
		return err
	}
	view.Rows, view.Paging = found.Data, r.Pages(found.NextCursor)
	return r.Show(page.Content{Title: keysTitle.In(r.Context()), Status: statusOf(view.Refusal), Body: keysPage(view)})
}

// refusalIn takes from an error what a filter of a list can do wrong: also a
// tenant that does not exist.
func refusalIn(err error) (*page.Problem, error) {
	if problem, refused := page.IsRefusal(err); refused {
		return problem, nil
	}
	if problem, ok := page.AsProblem(err); ok && problem.Code == "unknown_tenant" {
		return problem, nil
	}
	return nil, err
}

// newKeyView is the form as it was sent, and what is wrong with it.
type newKeyView struct {
	Scope, Tenant, Name string
	Refusal             *page.Problem
}

func showNewKey(r *page.Request) error {
	return showNewKeyForm(r, newKeyView{Scope: scopes[0], Tenant: r.Query("tenant")})
}

func showNewKeyForm(r *page.Request, view newKeyView) error {
	return r.Show(page.Content{Title: newKeyTitle.In(r.Context()), Status: statusOf(view.Refusal), Body: newKeyPage(view)})
}

func createKey(r *page.Request) error {
	view := newKeyView{Scope: r.Field("scope"), Tenant: r.Field("tenant"), Name: r.Field("name")}
	body := map[string]string{"scope": view.Scope, "name": view.Name}
	if view.Tenant != "" {
		body["tenant"] = view.Tenant
	}
	made, err := page.Send[key](r, http.MethodPost, page.API("keys"), body)
	if view.Refusal, err = refusalIn(err); err != nil {
		return err
	}
	if view.Refusal != nil {
		return showNewKeyForm(r, view)
	}
	return r.Show(page.Content{Title: madeKeyTitle.In(r.Context()), Body: madeKeyPage(made)})
}

func revokeKey(r *page.Request) error {
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, page.API("keys", r.PathValue("id")), nil); err != nil {
		return err
	}
	r.Tell(page.Done, revokedNotice)
	return r.Redirect(page.Link(keysPath, "tenant", r.Field("tenant")))
}
