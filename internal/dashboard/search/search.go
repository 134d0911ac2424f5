// Package search has the page that finds what a pasted text names: an id, a key,
// a tenant.
//
// It must never guess: what a text does not name exactly is not found.
package search

import (
	"net/http"
	"net/url"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// Group is the page.
func Group() page.Group {
	return page.Group{Name: "search", Routes: []page.Route{
		{Pattern: "GET /search", Need: page.Viewer, Portal: true, Serve: show},
	}}
}

// view is what the page shows.
type view struct {
	Query, Tenant string
	Found         records.Search
	Refusal       *page.Problem
}

func show(r *page.Request) error {
	v := view{Query: r.Query("q"), Tenant: r.Query("tenant")}
	if v.Query == "" {
		return r.Show(page.Content{Title: title.In(r.Context()), Body: searchPage(v)})
	}
	query := url.Values{"q": {v.Query}}
	if v.Tenant != "" {
		query.Set("tenant", v.Tenant)
	}
	found, err := page.Get[records.Search](r, page.API("search"), query)
	status := http.StatusOK
	problem, _ := page.AsProblem(err)
	switch _, refused := page.IsRefusal(err); {
	case refused, problem != nil && problem.Status == http.StatusNotFound:
		v.Refusal, status = problem, problem.Status
	case err != nil:
		return err
	}
	v.Found = found
	// Who pastes an id wants its thing, not a list of one.
	if len(found.Data) == 1 && found.Data[0].Matched == "id" && status == http.StatusOK {
		if target := pathOf(found.Data[0]); target != "" {
			return r.Redirect(target)
		}
	}
	return r.Show(page.Content{Title: title.In(r.Context()), Status: status, Body: searchPage(v)})
}

// pathOf is the page of a thing, "" if it has none.
func pathOf(f records.Found) string {
	switch f.Kind {
	case "event":
		return page.Path("events", f.ID)
	case "webhook_delivery", "delivery":
		return page.Path("deliveries", f.ID)
	case "webhook_endpoint", "endpoint":
		return page.Path("endpoints", f.ID)
	case "source":
		return page.Path("sources", f.ID)
	case "tenant":
		return page.Link("/events", "tenant", f.ID)
	}
	return ""
}

var (
	title        = lang.Text{EN: "Search", PT: "Busca"}
	listCaption  = lang.Text{EN: "What was found", PT: "O que foi encontrado"}
	queryText    = lang.Text{EN: "An id, a key, a tenant", PT: "Um id, uma chave, um tenant"}
	queryHelp    = lang.Text{EN: "As you have it: evt_…, whd_…, whe_…, a webhook-id that a receiver saw, an idempotency key, an id of yours.", PT: "Como você o tem: evt_…, whd_…, whe_…, um webhook-id visto por um receptor, uma chave de idempotência, um id seu."}
	tenantText   = lang.Text{EN: "Tenant", PT: "Tenant"}
	tenantHelp   = lang.Text{EN: "Needed to find external ids.", PT: "Necessário para encontrar ids externos."}
	findText     = lang.Text{EN: "Find", PT: "Buscar"}
	kindText     = lang.Text{EN: "What it is", PT: "O que é"}
	idText       = lang.Text{EN: "Id", PT: "Id"}
	whatText     = lang.Text{EN: "Description", PT: "Descrição"}
	matchedText  = lang.Text{EN: "Found by", PT: "Encontrado por"}
	noneTitle    = lang.Text{EN: "Nothing is called that", PT: "Nada se chama assim"}
	noneAdvice   = lang.Text{EN: "Check that the text is whole. What was removed after the retention is not found any more.", PT: "Confira se o texto está inteiro. O que foi removido após a retenção não é mais encontrado."}
	tenantAdvice = lang.Text{EN: "External ids are found with their tenant only: name it, too.", PT: "Ids externos só são encontrados com o tenant: informe-o também."}

	kindWords = lang.Words{
		"event": {EN: "Event", PT: "Evento"}, "webhook_delivery": {EN: "Delivery", PT: "Entrega"}, "delivery": {EN: "Delivery", PT: "Entrega"},
		"webhook_endpoint": {EN: "Endpoint", PT: "Endpoint"}, "endpoint": {EN: "Endpoint", PT: "Endpoint"},
		"source": {EN: "Source", PT: "Origem"}, "tenant": {EN: "Tenant", PT: "Tenant"}, "recovery": {EN: "Recovery", PT: "Recuperação"},
	}
	matchedWords = lang.Words{
		"id": {EN: "its id", PT: "o id"}, "idempotency_key": {EN: "its idempotency key", PT: "a chave de idempotência"},
		"external_id": {EN: "its external id", PT: "o id externo"},
	}
)
