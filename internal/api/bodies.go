package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/malotehq/malote/internal/delivery"
)

func describeBody(id string) func(*huma.Operation, huma.Registry) {
	return func(operation *huma.Operation, _ huma.Registry) {
		operation.Parameters = []*huma.Param{{
			Name: "id", In: "path", Required: true, Description: id, Schema: &huma.Schema{Type: huma.TypeString},
		}}
		operation.Responses = map[string]*huma.Response{
			"200": {Description: "OK", Content: map[string]*huma.MediaType{
				"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			}},
		}
	}
}

func (s *server) getEventBody(w http.ResponseWriter, r *http.Request) {
	s.serveBody(w, r, "get-event-body", func(ctx context.Context, who principal) ([]byte, string, error) {
		event, err := s.eventAt(ctx, who, r.PathValue("id"))
		if err != nil {
			return nil, "", err
		}
		return s.History.EventBody(ctx, event.ID)
	})
}

func (s *server) getDeliveryBody(w http.ResponseWriter, r *http.Request) {
	s.serveBody(w, r, "get-webhook-delivery-body", func(ctx context.Context, who principal) ([]byte, string, error) {
		id, err := idAt(delivery.DeliveryPrefix, r.PathValue("id"))
		if err != nil {
			return nil, "", err
		}
		found, _, err := s.History.Delivery(ctx, id)
		if err != nil {
			return nil, "", err
		}
		if !who.owner().Owns(found.Tenant) {
			return nil, "", problem(NotFound, "")
		}
		return s.History.DeliveryBody(ctx, found)
	})
}

// serveBody answers with bytes as they are kept.
func (s *server) serveBody(w http.ResponseWriter, r *http.Request, operation string, find func(context.Context, principal) ([]byte, string, error)) {
	body, contentType, err := s.findBody(r, find)
	if err != nil {
		s.problemOf(r.Context(), operation, err).write(w)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	// The bytes are a publisher's: a browser must not run them on our origin.
	header.Set("Content-Disposition", "attachment")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(body) // the client may have gone
}

func (s *server) findBody(r *http.Request, find func(context.Context, principal) ([]byte, string, error)) (body []byte, contentType string, err error) {
	who, err := s.admit(r, mayRead)
	if err != nil {
		return nil, "", err
	}
	if r.URL.RawQuery != "" {
		return nil, "", fault("query", "takes no parameters here: leave them out")
	}
	ctx, cancel := context.WithTimeout(r.Context(), workTime)
	defer cancel()
	return find(ctx, who)
}
