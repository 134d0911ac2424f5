package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// exchange is what is known of a request once it is let in.
type exchange struct {
	who       principal
	operation string
	path      string
	body      []byte
	request   *http.Request

	// For the audit log: see changed and changedNothing.
	subjects       []Subject
	changedNothing bool
}

type exchangeKey struct{}

// maxDepth is how deeply a request may be nested, an event's data apart.
const maxDepth = 16

// exchangeOf is what receiving put into the context of every handler.
func exchangeOf(ctx context.Context) *exchange {
	return ctx.Value(exchangeKey{}).(*exchange)
}

// caller is who sent the request.
func caller(ctx context.Context) principal { return exchangeOf(ctx).who }

// fingerprint is of all that the request said: a repeat with the same
// idempotency key must say the same.
func (e *exchange) fingerprint() [sha256.Size]byte {
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(e.operation), []byte(e.path), e.body} {
		hash.Write(part)
		hash.Write([]byte{0})
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// receiving lets a request in, in this order: who sends it, whether they may,
// the body, whether it is sound JSON. Nobody's body is read before they are
// known.
func (s *server) receiving(at route) func(huma.Context, func(huma.Context)) {
	return func(c huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(c)
		received := &exchange{operation: at.id, path: r.URL.Path, request: r}
		if err := s.receive(r, received, at.need, c.Operation().RequestBody); err != nil {
			s.problemOf(r.Context(), at.id, err).write(w)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), at.time())
		defer cancel()
		ctx = context.WithValue(ctx, exchangeKey{}, received)
		next(bodyContext{humaContext: huma.WithContext(c, ctx), body: received.body})
	}
}

func (at route) time() time.Duration {
	if at.timeout > 0 {
		return at.timeout
	}
	return workTime
}

func (s *server) receive(r *http.Request, into *exchange, need permission, body *huma.RequestBody) (err error) {
	if need != nil {
		if into.who, err = s.admit(r, need); err != nil {
			return err
		}
	}
	if err := checkQuery(r.URL.RawQuery); err != nil {
		return err
	}
	if body == nil {
		return nil
	}
	if into.body, err = readBody(r, s.limits.other); err != nil {
		return err
	}
	if len(into.body) == 0 && !body.Required {
		return nil
	}
	if err := checkText(into.body); err != nil {
		return err
	}
	return checkMembers(into.body[skipSpace(into.body, 0):], "", maxDepth)
}

// admit says who sends a request, if they may do what they ask for.
func (s *server) admit(r *http.Request, need permission) (principal, error) {
	ctx, cancel := context.WithTimeout(r.Context(), workTime)
	defer cancel()
	who, err := s.principalOf(ctx, r)
	if err != nil {
		return principal{}, err
	}
	if !who.may(need) {
		return principal{}, problem(InsufficientScope,
			"An API key with the scope %s is not allowed to do this: it takes one with %s.", who.scope, need)
	}
	return who, nil
}

// humaContext lets bodyContext embed a huma.Context, which has a method of the
// same name.
type humaContext huma.Context

// bodyContext gives huma the body that was read and checked already.
type bodyContext struct {
	humaContext
	body []byte
}

// Unwrap is how humago finds its own context.
func (c bodyContext) Unwrap() huma.Context { return c.humaContext }

func (c bodyContext) BodyReader() io.Reader { return bytes.NewReader(c.body) }

// SetReadDeadline does nothing: nothing is left to be read.
func (c bodyContext) SetReadDeadline(time.Time) error { return nil }

// Header says that the body is JSON, whatever the client calls it.
func (c bodyContext) Header(name string) string {
	if name == "Content-Type" {
		return "application/json"
	}
	return c.humaContext.Header(name)
}

// checkQuery refuses text that no database can hold, and so nothing can match.
func checkQuery(raw string) error {
	if !strings.Contains(raw, "%") && utf8.ValidString(raw) {
		return nil
	}
	decoded, err := url.QueryUnescape(raw)
	if err != nil {
		return fault("query", "must be percent-encoded: a %% is followed by two hexadecimal digits")
	}
	if !utf8.ValidString(decoded) || strings.ContainsRune(decoded, 0) {
		return fault("query", "must be text in UTF-8, without NUL")
	}
	return nil
}
