package gaprepair

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// requestTimeout bounds one request, its answer's body included.
	requestTimeout = 30 * time.Second
	// maxAnswer bounds an answer, in bytes. A hundred of Stripe's events have about
	// one megabyte.
	maxAnswer = 16 << 20
)

// errTooLarge is an answer beyond maxAnswer.
var errTooLarge = errors.New("the answer is too large")

// A caller makes one turn's requests, one after the other, and counts them.
type caller struct {
	client *http.Client
	source *Source
	base   string
	now    func() time.Time

	maxAnswer int64 // bytes

	requests int
	pause    time.Duration // for which the provider is better left alone, by its last answer
}

func newCaller(r *Runner, source *Source) *caller {
	client := *r.options.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	base := source.BaseURL
	if base == "" {
		base = providers[source.Provider].base()
	}
	return &caller{client: &client, source: source, base: strings.TrimSuffix(base, "/"), now: r.options.Now, maxAnswer: r.maxAnswer}
}

// An answer is a 2xx.
type answer struct {
	header http.Header
	body   []byte
	date   time.Time // by the provider's clock
}

// do makes a request. Its errors are *APIError.
func (c *caller) do(ctx context.Context, method, path string, query url.Values, header http.Header) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return answer{}, c.failed(Unreachable, err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Authorization", "Bearer "+string(c.source.Token))
	request.Header.Set("User-Agent", "Malote")
	c.requests++
	response, err := c.client.Do(request)
	if err != nil {
		return answer{}, c.failed(Unreachable, err)
	}
	defer response.Body.Close()
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		date = c.now()
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return answer{}, fault(c.source.Provider, response.StatusCode, response.Header, date)
	}
	c.pause = untilReset(response.Header, date)
	body, err := readAll(response, c.maxAnswer)
	if errors.Is(err, errTooLarge) {
		return answer{}, c.failed(TooLarge, err)
	}
	if err != nil {
		return answer{}, c.failed(Unreachable, err)
	}
	return answer{header: response.Header, body: body, date: date}, nil
}

func readAll(response *http.Response, limit int64) ([]byte, error) {
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(response.Body, limit+1))
	if err == nil && n > limit {
		err = errTooLarge
	}
	return body.Bytes(), err
}

func (c *caller) failed(reason Reason, err error) *APIError {
	return &APIError{Provider: c.source.Provider, Reason: reason, err: err}
}

func (c *caller) unreadable() *APIError { return c.failed(Unreadable, nil) }
