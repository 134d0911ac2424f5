package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/malotehq/malote/internal/contractpage"
)

// registerContracts adds the page that a platform's customers read. It is made
// from the policy, so that it says what the engine does.
func (s *server) registerContracts(r *routes) {
	r.handleRaw(route{
		id: "get-policy-contract", method: http.MethodGet, path: "/v1/policies/{name}/contract", tag: tagPolicies, need: mayRead,
		summary: "The guide for receivers under a policy",
		description: "Made from the policy itself: deadline, what happens on each answer, the timetable, headers, how to verify a signature, " +
			"and what becomes of what fails for days. As HTML or Markdown, in English, Portuguese or Persian.",
		sample: "format=html&lang=pt", codes: []Code{UnknownPolicy},
	}, describeContract, s.getContract)
}

func describeContract(operation *huma.Operation, _ huma.Registry) {
	choice := func(name, description string, values ...any) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: description, Schema: &huma.Schema{Type: huma.TypeString, Enum: values}}
	}
	operation.Parameters = []*huma.Param{
		{Name: "name", In: "path", Required: true, Description: "The policy's name.", Schema: &huma.Schema{Type: huma.TypeString}},
		choice("format", "Left out: html for browsers, markdown for others.", "html", "markdown"),
		choice("lang", "Left out: en.", "en", "pt", "fa"),
	}
	text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	operation.Responses = map[string]*huma.Response{
		"200": {Description: "OK", Content: map[string]*huma.MediaType{"text/html": text, "text/markdown": text}},
	}
}

func (s *server) getContract(w http.ResponseWriter, r *http.Request) {
	page, format, err := s.contract(r)
	if err != nil {
		s.problemOf(r.Context(), "get-policy-contract", err).write(w)
		return
	}
	header := w.Header()
	header.Set("Content-Type", format.ContentType())
	header.Set("Content-Length", strconv.Itoa(len(page)))
	header.Set("Content-Security-Policy", contractpage.ContentSecurityPolicy())
	_, _ = w.Write(page) // the client may have gone
}

func (s *server) contract(r *http.Request) (page []byte, format contractpage.Format, err error) {
	if _, err := s.admit(r, mayRead); err != nil {
		return nil, "", err
	}
	query := r.URL.Query()
	for name := range query {
		if name != "format" && name != "lang" {
			return nil, "", fault("query", "takes format and lang here: leave %q out", name)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), workTime)
	defer cancel()
	p, err := s.policyNamed(ctx, r.PathValue("name"))
	if err != nil {
		return nil, "", err
	}
	options := contractpage.Options{
		Format: formatOf(query, r.Header.Get("Accept")), Language: contractpage.Language(query.Get("lang")), Retention: s.Retention,
	}
	if options.Language == "" {
		options.Language = contractpage.English
	}
	page, err = contractpage.Render(p, options)
	if unknown, ok := errors.AsType[*contractpage.UnknownLanguageError](err); ok {
		return nil, "", fault("lang", "is not a language of these pages: %v", unknown)
	}
	if none, ok := errors.AsType[*contractpage.NobodyVerifiesError](err); ok {
		return nil, "", fault("name", "has no page for receivers: %v", none)
	}
	if unknown, ok := errors.AsType[*contractpage.UnknownFormatError](err); ok {
		return nil, "", fault("format", "is not a format of these pages: %v", unknown)
	}
	return page, options.Format, err
}

func formatOf(query url.Values, accept string) contractpage.Format {
	switch {
	case query.Has("format"):
		return contractpage.Format(query.Get("format"))
	case strings.Contains(accept, "text/html"):
		return contractpage.HTML
	}
	return contractpage.Markdown
}
