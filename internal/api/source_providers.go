package api

import (
	"context"
	"net/http"

	"github.com/malotehq/malote/internal/source"
)

type sourceProviderJSON struct {
	Name      string       `json:"name" example:"stripe"`
	Title     string       `json:"title" example:"Stripe"`
	Headers   []string     `json:"headers" example:"[\"Stripe-Signature\"]" doc:"Those that verification looks at, the signature's first."`
	Signed    string       `json:"signed" doc:"What is signed, and how."`
	Tolerance *span        `json:"tolerance" nullable:"true" doc:"How far the signed time may be off unless the source says otherwise; null: the provider documents none, or signs no time."`
	Secret    string       `json:"secret" doc:"What to give as the secret."`
	Dedupe    string       `json:"dedupe" example:"id" doc:"By what a repetition is known."`
	Type      string       `json:"type" example:"type" doc:"Where an event's type comes from."`
	Handshake string       `json:"handshake" doc:"What it asks before it sends events. Malote answers."`
	Retries   string       `json:"retries" doc:"What it takes for a receipt, and what it does without."`
	Gotcha    string       `json:"gotcha" doc:"What surprises people."`
	Methods   []string     `json:"methods" example:"[\"POST\"]"`
	Success   *receiptJSON `json:"success,omitempty" doc:"The receipt that it insists on. Left out: any 2xx."`
	GapRepair bool         `json:"gap_repair" doc:"Whether what never came can be found by the provider's own list."`
}

func (s *server) showProvider(p *source.Provider) sourceProviderJSON {
	view := sourceProviderJSON{
		Name: p.Name, Title: p.Title, Headers: listed(p.Headers), Signed: p.Signed, Secret: p.Secret, Dedupe: p.Dedupe, Type: p.Type,
		Handshake: p.Handshake, Retries: p.Retries, Gotcha: p.Gotcha, Methods: append([]string{http.MethodPost}, p.Methods...),
		GapRepair: s.SourceRules.RepairsGaps(p.Name),
	}
	if p.Window > 0 {
		view.Tolerance = new(span(p.Window))
	}
	if p.Success.Status != 0 {
		view.Success = &receiptJSON{Status: p.Success.Status, Body: p.Success.Body, ContentType: p.Success.ContentType}
	}
	return view
}

func (s *server) registerSourceProviders(r *routes) {
	handle(r, route{
		id: "list-source-providers", method: http.MethodGet, path: "/v1/source_providers", tag: tagSources, need: mayRead,
		summary: "List providers", description: "Whose webhooks a source can receive, how each signs, and what to know about it. Always one page.",
	}, s.listSourceProviders)
}

func (s *server) listSourceProviders(context.Context, *struct{}) (*listAnswer[sourceProviderJSON], error) {
	return &listAnswer[sourceProviderJSON]{Body: listJSON[sourceProviderJSON]{Data: shown(source.Providers(), s.showProvider)}}, nil
}
