package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// publishTime is how long a publish may wait for its commit before the answer
// is 503: long enough for a busy database, short enough to notice a hung one.
const publishTime = 5 * time.Second

// publishOne answers POST /v1/events. No answer is 202 before the commit.
func (s *server) publishOne(w http.ResponseWriter, r *http.Request) {
	results, err := s.publishing(r, s.limits.publish, func(body []byte, who principal) ([]publish.Request, error) {
		request, err := parseEvent(body, "")
		if err != nil {
			return nil, err
		}
		if err := useHeader(&request, r.Header); err != nil {
			return nil, err
		}
		request.Tenant, err = who.tenantNamed(request.Tenant)
		return []publish.Request{request}, err
	})
	if err != nil {
		p := s.problemOf(r.Context(), "publish-event", err)
		p.Index = nil // there is only one
		p.write(w)
		return
	}
	answer(w, appendResult(make([]byte, 0, 128), results[0]))
}

// publishBatch answers POST /v1/events/batch: all or nothing.
func (s *server) publishBatch(w http.ResponseWriter, r *http.Request) {
	results, err := s.publishing(r, s.limits.batch, func(body []byte, who principal) ([]publish.Request, error) {
		if r.Header.Get("Idempotency-Key") != "" {
			return nil, fault("Idempotency-Key", "does not go with a batch: give each event its own idempotency_key")
		}
		requests, err := parseBatch(body)
		for i := range requests {
			if requests[i].Tenant, err = who.tenantNamed(requests[i].Tenant); err != nil {
				return nil, s.problemOf(r.Context(), "publish-events", err).inEvent(i)
			}
		}
		return requests, err
	})
	if err != nil {
		p := s.problemOf(r.Context(), "publish-events", err)
		if p.Index != nil {
			p = p.inEvent(*p.Index)
		}
		p.write(w)
		return
	}
	body := append(make([]byte, 0, 16+96*len(results)), `{"data":[`...)
	for i, result := range results {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendResult(body, result)
	}
	answer(w, append(body, "]}"...))
}

// publishing is what both have in common, in this order: who publishes, what,
// the commit.
func (s *server) publishing(
	r *http.Request, limit int, parse func([]byte, principal) ([]publish.Request, error),
) ([]publish.Result, error) {
	who, err := s.admit(r, mayPublish)
	if err != nil {
		return nil, err
	}
	if r.URL.RawQuery != "" {
		return nil, fault("query", "takes no parameters here: put everything into the body")
	}
	body, err := readBody(r, limit)
	if err != nil {
		return nil, err
	}
	if err := checkText(body); err != nil {
		return nil, err
	}
	requests, err := parse(body[skipSpace(body, 0):], who)
	if err != nil {
		return nil, err
	}
	trace := r.Header.Get("traceparent")
	for i := range requests {
		requests[i].TraceParent = trace // an invalid one counts as none
	}
	ctx, cancel := context.WithTimeout(r.Context(), publishTime)
	defer cancel()
	return s.Publisher.Publish(ctx, requests)
}

// useHeader takes the Idempotency-Key header for the member of that name.
func useHeader(request *publish.Request, header http.Header) error {
	key := header.Get("Idempotency-Key")
	switch {
	case key == "":
		return nil
	case request.IdempotencyKey != "" && request.IdempotencyKey != key:
		return fault("Idempotency-Key", "differs from idempotency_key in the body: send one of them")
	}
	request.IdempotencyKey = key
	return nil
}

func appendResult(b []byte, result publish.Result) []byte {
	b = append(b, `{"id":"`...)
	b = append(b, result.ID.Format(delivery.EventPrefix)...)
	b = append(b, `","duplicate":`...)
	b = strconv.AppendBool(b, result.Duplicate)
	b = append(b, `,"deliveries":`...)
	b = strconv.AppendInt(b, int64(result.Deliveries), 10)
	b = append(b, `,"skipped":`...)
	b = strconv.AppendInt(b, int64(result.Skipped), 10)
	return append(b, '}')
}

func answer(w http.ResponseWriter, body []byte) {
	body = append(body, '\n')
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write(body) // the client may have gone; the events are in
}

// inEvent says which event of a batch a problem is about, in its index and in
// front of the members' names.
func (p *Problem) inEvent(index int) *Problem {
	at := "events[" + strconv.Itoa(index) + "]"
	for i, f := range p.Errors {
		if len(f.Field) < len(at) || f.Field[:len(at)] != at {
			p.Errors[i].Field = at + "." + f.Field
			p.Detail = at + "." + p.Detail
		}
	}
	return p.at(index)
}
