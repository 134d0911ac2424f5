package ingest

import (
	"net/http"

	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// KnowsRepetitionsByProvider says whether a repetition is known by the provider's
// own id: then what is brought from the provider's own list, and what comes in by
// the door, are known as the same.
func (s Settings) KnowsRepetitionsByProvider() bool { return s.Dedupe.by == byProvider }

// Shape gives the function that does what the door does with an event once it is
// verified, for events that come in by another way: it sets the type by the
// source's rule, and says false of what the source's filter leaves out. The
// request's Type is the provider's. Headers cannot be asked.
func (s Settings) Shape(provider *source.Provider) func(*publish.Request) bool {
	l := live{provider: provider, settings: s}
	return func(request *publish.Request) bool {
		e := event{
			request: &source.Request{Method: http.MethodPost, Body: request.Body}, body: request.Body, kind: request.Type, place: -1,
		}
		request.Type = typeName(s.Type.of(e), provider.Name)
		return l.takes(request)
	}
}
