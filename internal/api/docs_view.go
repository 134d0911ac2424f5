package api

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsPage is the OpenAPI document as a reader wants it: how to begin, what
// holds everywhere, the operations in groups, the objects that they answer
// with, the problems.
type docsPage struct {
	Title, Version string
	Summary        []docsText
	Steps          []docsStep
	Conventions    []docsBlock
	Groups         []docsGroup
	Objects        []docsObject
	Problems       []docsProblems
}

type docsGroup struct {
	Name, Anchor string
	Description  docsText
	Operations   []docsOperation
}

type docsObject struct {
	Name    string
	Members []docsField
	Sample  string
}

func docsOf(document *huma.OpenAPI) docsPage {
	types := docsTypes{document.Components.Schemas}
	blocks := docsBlocks(document.Info.Description)
	page := docsPage{
		Title: document.Info.Title, Version: document.Info.Version,
		Summary: blocks[0].Paragraphs, Conventions: blocks[1:], Steps: docsFirstSteps(document),
		Objects: docsObjects(document, types), Problems: docsAllProblems(),
	}
	for _, tag := range document.Tags {
		page.Groups = append(page.Groups, docsGroup{
			Name: tag.Name, Anchor: docsAnchor(tag.Name),
			Description: docsTextOf(tag.Description), Operations: docsOperations(document, types, tag.Name),
		})
	}
	return page
}

// docsObjects are those of answers. What a request sends stands with its
// operation, and a page of a list is explained once.
func docsObjects(document *huma.OpenAPI, types docsTypes) []docsObject {
	sent := map[string]bool{}
	for operation := range operationsOf(document) {
		sent[docsBodyOf(operation)] = true
	}
	var objects []docsObject
	for _, name := range slices.Sorted(maps.Keys(types.schemas.Map())) {
		if !sent[name] && types.rowOf(schemaPrefix+name) == nil {
			objects = append(objects, docsObject{
				Name: name, Members: types.members(name, false), Sample: docsSample(types.schemas, name),
			})
		}
	}
	return objects
}

// docsOperations are a group's, by path and, within it, in the order in which
// one works with things.
func docsOperations(document *huma.OpenAPI, types docsTypes, tag string) []docsOperation {
	var operations []docsOperation
	for operation := range operationsOf(document) {
		if slices.Contains(operation.Tags, tag) {
			operations = append(operations, docsOperationOf(operation, types))
		}
	}
	order := []string{http.MethodPost, http.MethodGet, http.MethodPatch, http.MethodDelete}
	slices.SortFunc(operations, func(a, b docsOperation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path),
			cmp.Compare(slices.Index(order, a.Method), slices.Index(order, b.Method)))
	})
	return operations
}

type docsOperation struct {
	ID, Method, Path, Summary string
	Description               docsText
	Curl                      string
	Scopes                    []Scope // none: no key is needed
	Answers                   []docsAnswer
	Codes                     []Code // but those of every request
	Parameters                []docsPlace
	Body                      string // the name of the object that is sent; "": none
	BodyRequired              bool
	Members                   []docsField
}

type docsAnswer struct {
	Status string
	Type   docsType
}

// docsPlace is where parameters are: in the path, the query or a header.
type docsPlace struct {
	Name   string
	Fields []docsField
}

func docsOperationOf(o *huma.Operation, types docsTypes) docsOperation {
	view := docsOperation{
		ID: o.OperationID, Method: o.Method, Path: o.Path, Summary: o.Summary,
		Description: docsTextOf(o.Description), Curl: docsCurl(o), Parameters: docsParameters(o, types), Body: docsBodyOf(o),
	}
	view.Scopes, _ = o.Extensions[scopesExtension].(permission)
	codes, _ := o.Extensions[codesExtension].([]Code)
	general := slices.Concat(codesOfAll, codesOfKeys, codesOfBodies)
	for _, code := range codes {
		if !slices.Contains(general, code) {
			view.Codes = append(view.Codes, code)
		}
	}
	if view.Body != "" {
		view.BodyRequired, view.Members = o.RequestBody.Required, types.members(view.Body, true)
	}
	for _, status := range slices.Backward(slices.Sorted(maps.Keys(o.Responses))) {
		if status == "default" {
			continue
		}
		answer := docsAnswer{Status: status + " " + o.Responses[status].Description}
		for _, media := range o.Responses[status].Content {
			answer.Type = types.of(media.Schema)
		}
		view.Answers = append(view.Answers, answer)
	}
	return view
}

func docsBodyOf(o *huma.Operation) string {
	if o.RequestBody == nil {
		return ""
	}
	return strings.TrimPrefix(o.RequestBody.Content["application/json"].Schema.Ref, schemaPrefix)
}

func docsParameters(o *huma.Operation, types docsTypes) []docsPlace {
	var places []docsPlace
	for _, in := range []struct{ place, name string }{{"path", "Path"}, {"query", "Query"}, {"header", "Header"}} {
		place := docsPlace{Name: in.name}
		for _, p := range o.Parameters {
			if p.In != in.place {
				continue
			}
			field := types.field(p.Name, p.Schema)
			field.Description = docsTextOf(cmp.Or(p.Description, p.Schema.Description))
			if p.Required && p.In != "path" {
				field.Mark = "required"
			}
			place.Fields = append(place.Fields, field)
		}
		if place.Fields != nil {
			places = append(places, place)
		}
	}
	return places
}
