package api

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsPage is the OpenAPI document as a reader wants it: operations in groups,
// then the objects that they exchange, then the problems.
type docsPage struct {
	Title, Version string
	Introduction   []string
	Groups         []docsGroup
	Objects        []docsObject
	Problems       []docsProblem
}

type docsGroup struct {
	Name, Anchor, Description string
	Operations                []docsOperation
}

type docsOperation struct {
	ID, Method, Path, Summary, Description string
	Scopes                                 string // "": no key is needed
	Parameters                             []docsField
	Request                                *docsType
	Status                                 string
	Response                               *docsType
}

type docsObject struct {
	Name   string
	Fields []docsField
}

type docsProblem struct {
	Code   Code
	Status int
	Advice string
}

func docsOf(document *huma.OpenAPI) docsPage {
	page := docsPage{
		Title: document.Info.Title, Version: document.Info.Version,
		Introduction: strings.Split(document.Info.Description, "\n\n"),
	}
	for _, tag := range document.Tags {
		page.Groups = append(page.Groups, docsGroup{
			Name: tag.Name, Anchor: strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-"),
			Description: tag.Description, Operations: docsOperations(document, tag.Name),
		})
	}
	for name, schema := range document.Components.Schemas.Map() {
		page.Objects = append(page.Objects, docsObject{Name: name, Fields: docsFields(schema)})
	}
	slices.SortFunc(page.Objects, func(a, b docsObject) int { return cmp.Compare(a.Name, b.Name) })
	for _, m := range meanings {
		page.Problems = append(page.Problems, docsProblem{Code: m.code, Status: m.status, Advice: m.advice})
	}
	return page
}

// docsOperations are a group's, by path and, within it, in the order in which
// one works with things.
func docsOperations(document *huma.OpenAPI, tag string) []docsOperation {
	var operations []docsOperation
	for _, item := range document.Paths {
		for _, operation := range []*huma.Operation{item.Post, item.Get, item.Patch, item.Delete} {
			if operation != nil && slices.Contains(operation.Tags, tag) {
				operations = append(operations, docsOperationOf(operation))
			}
		}
	}
	order := []string{http.MethodPost, http.MethodGet, http.MethodPatch, http.MethodDelete}
	slices.SortFunc(operations, func(a, b docsOperation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path),
			cmp.Compare(slices.Index(order, a.Method), slices.Index(order, b.Method)))
	})
	return operations
}

func docsOperationOf(o *huma.Operation) docsOperation {
	view := docsOperation{ID: o.OperationID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description}
	if scopes, ok := o.Extensions[scopesExtension].(permission); ok {
		view.Scopes = scopes.String()
	}
	for _, p := range o.Parameters {
		view.Parameters = append(view.Parameters, docsField{
			Name: p.Name, Place: p.In, Type: docsTypeOf(p.Schema), Required: p.Required,
			Description: cmp.Or(p.Description, p.Schema.Description), Limits: docsLimits(p.Schema),
		})
	}
	if o.RequestBody != nil {
		view.Request = docsContent(o.RequestBody.Content)
	}
	for status, response := range o.Responses {
		if status != "default" {
			view.Status = fmt.Sprint(status, " ", response.Description)
			view.Response = docsContent(response.Content)
		}
	}
	return view
}

func docsContent(content map[string]*huma.MediaType) *docsType {
	for _, media := range content {
		shown := docsTypeOf(media.Schema)
		return &shown
	}
	return nil
}

// String lists the scopes in a sentence.
func (p permission) String() string {
	words := make([]string, len(p))
	for i, scope := range p {
		words[i] = string(scope)
	}
	return strings.Join(words, " or ")
}
