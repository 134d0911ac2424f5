package api

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// routes collects the operations: in the mux that serves them, and in the
// OpenAPI document that describes them.
type routes struct {
	server *server
	mux    *http.ServeMux
	api    huma.API
	allow  map[string][]string // methods by path pattern
}

// route is one operation, as it is documented and guarded.
type route struct {
	id          string // unique; clients generate function names from it
	method      string
	path        string
	tag         string
	summary     string
	description string
	need        permission
	sample      string        // for the example: the JSON body, or of a GET the query; "": without
	codes       []Code        // of problems that its kind of request does not already have: see codesOf
	status      int           // of a success; 0: 200, or 204 without a body
	okMeans     string        // what 200 says where status is another one; "": it never comes
	timeout     time.Duration // for the work once the body is there; 0: workTime
}

// aRepeat is what 200 means where 201 is the answer to what is new.
const aRepeat = "OK, for a repeat"

// workTime is how long an operation may take before storage counts as
// unavailable.
const workTime = 10 * time.Second

func newRoutes(s *server) *routes {
	mux := http.NewServeMux()
	return &routes{server: s, mux: mux, api: humago.New(mux, configOf(s)), allow: map[string][]string{}}
}

// handle registers an operation whose input and output huma reads and writes.
// Every error becomes a Problem.
func handle[I, O any](r *routes, at route, work func(context.Context, *I) (*O, error)) {
	operation := at.operation()
	operation.Middlewares = huma.Middlewares{r.server.receiving(at)}
	r.note(at)
	operation.Responses = map[string]*huma.Response{} // huma fills it
	huma.Register(r.api, operation, func(ctx context.Context, input *I) (*O, error) {
		output, err := work(ctx, input)
		if err != nil {
			return nil, r.server.problemOf(ctx, at.id, err)
		}
		r.server.audit(ctx, at)
		return output, nil
	})
	if at.okMeans != "" {
		usual := operation.Responses[strconv.Itoa(at.status)]
		operation.Responses["200"] = &huma.Response{Description: at.okMeans, Content: usual.Content}
	}
}

// handleRaw registers an operation that reads and writes HTTP itself. The
// operation given adds its types to the document.
func (r *routes) handleRaw(at route, describe func(*huma.Operation, huma.Registry), serve http.HandlerFunc) {
	operation := at.operation()
	registry := r.api.OpenAPI().Components.Schemas
	describe(&operation, registry)
	operation.Responses["default"] = &huma.Response{Description: "Error", Content: map[string]*huma.MediaType{
		problemType: {Schema: registry.Schema(reflect.TypeFor[Problem](), true, "")},
	}}
	r.note(at)
	r.api.OpenAPI().AddOperation(&operation)
	r.mux.HandleFunc(at.method+" "+at.path, serve)
}

// serveFile registers what the document does not describe.
func (r *routes) serveFile(path string, serve http.HandlerFunc) {
	r.note(route{method: http.MethodGet, path: path})
	r.mux.HandleFunc("GET "+path, serve)
}

func (r *routes) note(at route) {
	r.allow[at.path] = append(r.allow[at.path], at.method)
	if at.method == http.MethodGet {
		r.allow[at.path] = append(r.allow[at.path], http.MethodHead)
	}
}

func (at route) operation() huma.Operation {
	operation := huma.Operation{
		OperationID: at.id, Method: at.method, Path: at.path, Tags: []string{at.tag},
		Summary: at.summary, Description: at.description, DefaultStatus: at.status,
		RejectUnknownQueryParameters: true,
		MaxBodyBytes:                 -1, // receiving has read the body already
		Extensions: map[string]any{
			codesExtension:   at.codes,
			samplesExtension: []codeSample{{Language: "Shell", Label: "curl", Source: at.curl()}},
		},
	}
	if at.need != nil {
		operation.Security = []map[string][]string{{keyScheme: {}}}
		operation.Extensions[scopesExtension] = at.need
	}
	return operation
}

// handler completes the mux: a path that exists says which methods it takes,
// every other one that it does not exist.
func (r *routes) handler() http.Handler {
	r.serveDocument()
	paths := http.NewServeMux()
	for _, path := range slices.Sorted(maps.Keys(r.allow)) {
		methods := strings.Join(slices.Sorted(slices.Values(r.allow[path])), ", ")
		paths.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", methods)
			problem(MethodNotAllowed, "This path takes %s only.", methods).write(w)
		})
	}
	paths.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { problem(UnknownRoute, "").write(w) })
	r.mux.Handle("/", paths)
	return r.mux
}
