// Package endpoints has the pages about endpoints: the list, one endpoint with
// its state in words, its secrets, what it missed and how it is recovered, and
// the forms that make and change endpoints.
//
// It must never keep a secret's value beyond the answer that shows it once, and
// never decide what the API decides: it says what the API said.
package endpoints

import (
	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
	"github.com/malotehq/malote/internal/delivery"
)

// Group are the pages. Whoever works on what is there pauses, tests, enables and
// recovers; what is set up is an administrator's, a customer's own included.
func Group() page.Group {
	group := page.Group{
		Name: "endpoints",
		Nav:  []page.NavItem{{Section: page.SetUp, Label: title, Path: "/endpoints", Icon: "endpoint", Need: page.Viewer, Portal: true}},
		Routes: []page.Route{
			{Pattern: "GET /endpoints", Need: page.Viewer, Serve: showList},
			{Pattern: "GET /endpoints/new", Need: page.Admin, Serve: showNew},
			{Pattern: "POST /endpoints/new", Need: page.Admin, Serve: create},
			{Pattern: "GET /endpoints/{id}", Need: page.Viewer, Serve: showOne},
			{Pattern: "GET /endpoints/{id}/stream", Need: page.Viewer, Serve: streamOne, Stream: true},
			{Pattern: "GET /endpoints/{id}/contract", Need: page.Viewer, Serve: downloadContract},
			{Pattern: "GET /endpoints/{id}/deliveries", Need: page.Viewer, Serve: showDeliveries},
			{Pattern: "GET /endpoints/{id}/settings", Need: page.Admin, Serve: showSettings},
			{Pattern: "POST /endpoints/{id}/settings", Need: page.Admin, Serve: change},
			{Pattern: "GET /endpoints/{id}/secrets", Need: page.Support, Serve: showSecrets},
			{Pattern: "POST /endpoints/{id}/secrets/rotate", Need: page.Admin, Serve: rotate},
			{Pattern: "POST /endpoints/{id}/secrets/{secret}/revoke", Need: page.Admin, Serve: revoke},
			{Pattern: "GET /endpoints/{id}/recover", Need: page.Viewer, Serve: showRecoveries},
			{Pattern: "GET /endpoints/{id}/recover/stream", Need: page.Viewer, Serve: streamRecoveries, Stream: true},
			{Pattern: "POST /endpoints/{id}/recover/preview", Need: page.Support, Serve: preview},
			{Pattern: "POST /endpoints/{id}/recover", Need: page.Support, Serve: startRecovery},
			{Pattern: "POST /endpoints/{id}/recover/{recovery}/cancel", Need: page.Support, Serve: cancelRecovery},
			{Pattern: "POST /endpoints/{id}/test", Need: page.Support, Serve: test},
			{Pattern: "POST /endpoints/{id}/pause", Need: page.Support, Serve: acting("pause", pausedText)},
			{Pattern: "POST /endpoints/{id}/resume", Need: page.Support, Serve: acting("resume", resumedText)},
			{Pattern: "POST /endpoints/{id}/enable", Need: page.Support, Serve: enable},
			{Pattern: "POST /endpoints/{id}/disable", Need: page.Admin, Serve: acting("disable", disabledText)},
			{Pattern: "POST /endpoints/{id}/discard", Need: page.Admin, Serve: discard},
			{Pattern: "POST /endpoints/{id}/delete", Need: page.Admin, Serve: remove},
		},
	}
	for i := range group.Routes {
		group.Routes[i].Portal = true
	}
	return group
}

// path is a page of an endpoint; without parts, the first.
func path(id string, parts ...string) string {
	return page.Path(append([]string{"endpoints", id}, parts...)...)
}

// api is a call about an endpoint.
func api(id string, parts ...string) string {
	return page.API(append([]string{"webhook_endpoints", id}, parts...)...)
}

// idOf is the endpoint that the address names.
func idOf(r *page.Request) (string, error) {
	id := r.PathValue("id")
	if _, err := delivery.ParseID(delivery.EndpointPrefix, id); err != nil {
		return "", page.NotFound()
	}
	return id, nil
}

// tab is one of an endpoint's pages.
type tab string

const (
	overviewTab   tab = ""
	deliveriesTab tab = "deliveries"
	recoverTab    tab = "recover"
	secretsTab    tab = "secrets"
	settingsTab   tab = "settings"
)

var allTabs = []struct {
	tab   tab
	label lang.Text
	need  page.Role
}{
	{overviewTab, overviewText, page.Viewer},
	{deliveriesTab, deliveriesText, page.Viewer},
	{recoverTab, recoverTabText, page.Viewer},
	{secretsTab, secretsText, page.Support},
	{settingsTab, settingsText, page.Admin},
}

// tabs are those that the visitor may see.
func tabs(role page.Role, id string, current tab) []ui.Tab {
	var list []ui.Tab
	for _, t := range allTabs {
		if !role.Covers(t.need) {
			continue
		}
		to := path(id)
		if t.tab != overviewTab {
			to = path(id, string(t.tab))
		}
		list = append(list, ui.Tab{Label: t.label, Path: to, Current: t.tab == current})
	}
	return list
}
