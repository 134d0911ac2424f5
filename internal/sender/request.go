package sender

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/policy"
)

// request builds what is sent, or says why nothing is (D13). The URL is checked
// anew at every attempt, since the rules may have become stricter after it was
// registered.
//
// The body has a known length, so it is never chunked. GetBody stays nil: it
// would let net/http send the request again by itself, and one attempt is one
// request (I9).
func (s *Sender) request(claim *delivery.Claim, p *policy.Policy, now time.Time) (*http.Request, *failure) {
	target, err := s.guard.CheckURL(claim.Endpoint.URL)
	if err != nil {
		return nil, urlRefused(err)
	}
	header, refused := s.header(claim, p, now)
	if refused != nil {
		return nil, refused
	}
	body := claim.Event.Body
	request := &http.Request{
		Method: http.MethodPost,
		URL:    target,
		Header: header,
		Body:   http.NoBody,
	}
	if len(body) > 0 {
		request.Body = io.NopCloser(bytes.NewReader(body))
		request.ContentLength = int64(len(body))
	}
	return request, nil
}

func urlRefused(err error) *failure {
	text := delivery.URLNotAllowed.Explain()
	// The advice is about the URL's text, which the tenant wrote; an address in
	// it is a literal one.
	if refused, ok := errors.AsType[*egress.URLError](err); ok {
		text = refused.Advice
	}
	return &failure{code: delivery.URLNotAllowed, text: text}
}

// header puts together all headers. What comes first wins: Malote's own, the
// policy's constants, the endpoint's, what a provider's request brought.
func (s *Sender) header(claim *delivery.Claim, p *policy.Policy, now time.Time) (http.Header, *failure) {
	event, names := &claim.Event, &p.Headers
	id := event.ID.Format(delivery.EventPrefix)
	signature, refused := s.keys.sign(p.Signature.Scheme, id, now, event.Body, claim.Endpoint.Secrets)
	if refused != nil {
		return nil, refused
	}
	headers := newHeaders(ownHeaders + len(names.Extra) + len(claim.Endpoint.Headers) + len(event.Headers))
	headers.set("User-Agent", s.userAgent)
	headers.set("Content-Type", event.ContentType)
	headers.set(names.ID, id)
	headers.set(names.Timestamp, strconv.FormatInt(now.Unix(), 10))
	headers.set(names.Signature, signature)
	headers.set(names.Attempt, strconv.Itoa(claim.Attempt))
	headers.set(names.Trigger, string(claim.Trigger))
	headers.set(names.EventType, event.Type)
	headers.set(names.Trace, event.TraceParent)
	if names.IdempotencyKey != "" {
		headers.set(names.IdempotencyKey, names.IdempotencyValue(event))
	}
	for _, extra := range names.Extra {
		headers.set(extra.Name, extra.Value)
	}
	for name, value := range claim.Endpoint.Headers {
		headers.set(name, value)
	}
	if !event.SourceID.IsZero() {
		headers.set(sourceHeader, event.SourceID.Format(delivery.SourcePrefix))
		headers.set(receivedHeader, event.AcceptedAt.UTC().Format(time.RFC3339Nano))
	}
	for _, passed := range event.Headers {
		headers.set(passed.Name, passed.Value)
	}
	return headers.header, nil
}
