// Package policies has the pages about policies: what each promises, its schedule as
// a picture, its YAML, its guide for receivers, who uses it, and publishing a new one.
//
// It must never say what a policy does but as package policy reads it.
package policies

import (
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/policy"
)

const root = "/policies"

// Group are the pages. Customers read what their endpoints are promised; who else
// has which policy, and writing one, is the operator's.
func Group() page.Group {
	return page.Group{
		Name: "policies",
		Nav:  []page.NavItem{{Section: page.SetUp, Label: title, Path: root, Icon: "policy", Need: page.Viewer, Portal: true}},
		Routes: []page.Route{
			{Pattern: "GET " + root, Need: page.Viewer, Portal: true, Serve: showList},
			{Pattern: "GET " + root + "/new", Need: page.Admin, Serve: showNew},
			{Pattern: "POST " + root + "/new", Need: page.Admin, Serve: publish},
			{Pattern: "GET " + root + "/{name}", Need: page.Viewer, Portal: true, Serve: showOne},
			{Pattern: "GET " + root + "/{name}/contract", Need: page.Viewer, Portal: true, Serve: showContract},
		},
	}
}

// path is the page of a policy.
func path(name string) string { return page.Path("policies", name) }

// summary is a policy with what it means; Parsed is nil if this version cannot read
// it any more.
type summary struct {
	records.Policy
	Parsed *policy.Policy
	Table  []policy.Instant
}

func summarise(found records.Policy) summary {
	s := summary{Policy: found}
	if parsed, err := policy.Parse([]byte(found.YAML)); err == nil {
		s.Parsed, s.Table = parsed, policy.Schedule(parsed)
	}
	return s
}

func showList(r *page.Request) error {
	found, err := page.Get[page.List[records.Policy]](r, page.API("policies"), nil)
	if err != nil {
		return err
	}
	list := make([]summary, len(found.Data))
	for i, p := range found.Data {
		list[i] = summarise(p)
	}
	return r.Show(page.Content{Title: title.In(r.Context()), Body: listPage(list)})
}

// oneView is what a policy's page shows.
type oneView struct {
	summary
	Picture   *picture // nil: there is nothing to draw
	Endpoints []records.Endpoint
	Paging    page.Paging
	Guide     bool // there is a guide for its receivers
}

func showOne(r *page.Request) error {
	name := r.PathValue("name")
	found, err := page.Get[records.Policy](r, page.API("policies", name), nil)
	if err != nil {
		return err
	}
	view := oneView{summary: summarise(found)}
	view.Picture = pictureOf(r.Context(), view.Table)
	query := map[string][]string{"limit": {"20"}, "policy": {name}}
	if cursor := r.Cursor(); cursor != "" {
		query["cursor"] = []string{cursor}
	}
	endpoints, err := page.Get[page.List[records.Endpoint]](r, page.API("webhook_endpoints"), query)
	if err != nil {
		return err
	}
	view.Endpoints, view.Paging = endpoints.Data, r.Pages(endpoints.NextCursor)
	if view.Parsed != nil {
		_, err = guideOf(r, name, "en")
		if _, refused := page.IsRefusal(err); err != nil && !refused {
			return err
		}
		view.Guide = err == nil
	}
	return r.Show(page.Content{Title: name, Body: onePage(view)})
}

// guideOf is the page for receivers, which those who verify nothing have none of.
func guideOf(r *page.Request, name, language string) (page.Raw, error) {
	return page.GetRaw(r, page.API("policies", name, "contract"), map[string][]string{"format": {"html"}, "lang": {language}})
}

// showContract shows the guide as receivers get it: a page of its own, whose style
// is inside of it, and which its own security policy lets do nothing else.
func showContract(r *page.Request) error {
	language := r.Query("lang")
	if language == "" {
		language = "en"
	}
	guide, err := guideOf(r, r.PathValue("name"), language)
	if err != nil {
		return err
	}
	header := r.Writer.Header()
	header.Set("Content-Type", guide.ContentType)
	header.Set("Content-Security-Policy", guidePolicy(header.Get("Content-Security-Policy")))
	r.Writer.WriteHeader(http.StatusOK)
	_, _ = r.Writer.Write(guide.Body) // the visitor may have gone
	return nil
}
