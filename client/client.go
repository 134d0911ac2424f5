package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client talks to one Malote with one API key.
type Client struct {
	base      string // without a slash at its end
	key       apiKey
	agent     string
	timeout   time.Duration
	maxAnswer int64
	retry     RetryPolicy

	// A transport, and no http.Client, which follows redirects: that would turn a
	// POST into a GET, and carry the key elsewhere.
	transport http.RoundTripper
}

// New makes a client of the Malote at baseURL, such as
// https://malote.example.com, with or without a path. Nothing is sent yet: see
// [Client.Ready]. White space around the key, as at the end of a file, is not
// taken for a part of it.
//
// The key goes out with every request, so use http:// only where nobody else
// listens: on this machine, or in a network of your own.
//
// Errors are *ArgumentError.
func New(baseURL, key string, options ...Option) (*Client, error) {
	base, err := checkBase(baseURL)
	if err != nil {
		return nil, err
	}
	key = strings.TrimSpace(key)
	if key == "" || !isPlain(key) || strings.Contains(key, " ") {
		return nil, &ArgumentError{"key", "must be an API key: printable ASCII characters, without white space"}
	}
	c := &Client{
		base: base, key: keyOf(key), agent: "malote-go", transport: newTransport(),
		timeout: DefaultTimeout, maxAnswer: DefaultMaxAnswer, retry: Backoff{},
	}
	for _, option := range options {
		if err := option(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkBase does not repeat what it refuses: there may be a password in it.
func checkBase(baseURL string) (string, error) {
	base, err := url.Parse(baseURL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return "", &ArgumentError{"baseURL", "must be a server's address, such as https://malote.example.com"}
	case base.User != nil || base.RawQuery != "" || base.ForceQuery || strings.Contains(baseURL, "#"):
		return "", &ArgumentError{"baseURL", "must have no user, query or fragment: the key alone says who asks"}
	}
	return strings.TrimRight(base.String(), "/"), nil
}

// newTransport keeps more connections to its one server than Go does unless
// told otherwise, which are two.
func newTransport() http.RoundTripper {
	usual, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced it, and will know why
		return http.DefaultTransport
	}
	own := usual.Clone()
	own.MaxIdleConnsPerHost = own.MaxIdleConns
	return own
}

// BaseURL is the server's address, without a slash at its end.
func (c *Client) BaseURL() string { return c.base }

// Ready says whether Malote can serve requests now: nil, or an error with
// CodeUnavailable while it does not reach its database. It does not say whether
// the key works.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.Call(ctx, Request{Method: http.MethodGet, Path: "/readyz"})
	return err
}

// CloseIdleConnections closes connections that no request uses at the moment.
// There is no need for it but where many clients are made and dropped.
func (c *Client) CloseIdleConnections() {
	if closer, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// apiKey holds the key where printing the client does not show it.
type apiKey struct {
	authorization func() string
	hide          func(string) string
}

func keyOf(plain string) apiKey {
	return apiKey{
		authorization: func() string { return "Bearer " + plain },
		hide:          func(text string) string { return strings.ReplaceAll(text, plain, "[key]") },
	}
}
