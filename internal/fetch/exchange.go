package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"

	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/source"
)

const maxHeaderBytes = 32 << 10

// answer is what came of a call: content, or a failure.
type answer struct {
	content []byte
	failure *Error
}

func (a answer) result() ([]byte, error) {
	if a.failure == nil { // and not an error that holds a nil *Error
		return a.content, nil
	}
	return nil, a.failure
}

// newTransport is a bare one: it follows nothing, keeps no cookies and no
// connections (calls are rare), obeys no variable of the environment, and
// inflates nothing.
func newTransport(options Options) *http.Transport {
	return &http.Transport{
		DialContext:            egress.NewDialer(options.Guard, options.Resolver).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: options.RootCAs},
		TLSHandshakeTimeout:    options.Timeout,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

func (f *Fetcher) exchange(ctx context.Context, want source.Fetch) answer {
	failed := func(failure Failure, status int, err error) answer {
		return answer{failure: &Error{Failure: failure, Host: want.Host, Status: status, Err: err}}
	}
	request, err := newRequest(ctx, want)
	if err != nil {
		return failed(NotAllowed, 0, err)
	}
	response, err := f.transport.RoundTrip(request)
	if err != nil {
		return failed(Unavailable, 0, err)
	}
	defer response.Body.Close()
	if failure := judge(response.StatusCode); failure != "" {
		return failed(failure, response.StatusCode, nil)
	}
	limit := want.MaxBytes
	if limit <= 0 {
		limit = defaultAnswer
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return failed(Unavailable, response.StatusCode, err)
	case int64(len(content)) > limit:
		return failed(TooLarge, response.StatusCode, nil)
	}
	return answer{content: content}
}

func newRequest(ctx context.Context, want source.Fetch) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, want.Method, want.URL, bytes.NewReader(want.Body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // one call is one request
	request.Header.Set("User-Agent", "Malote")
	if len(want.Body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

// judge says what a status means; empty: there is content.
func judge(status int) Failure {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests,
		status >= 500, status < 200:
		return Unavailable
	default: // a redirect too: it leads where nothing is pinned
		return Refused
	}
}
