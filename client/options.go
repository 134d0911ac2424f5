package client

import (
	"net/http"
	"time"
)

// Defaults of a client, and what the work itself may need.
const (
	// DefaultTimeout is how long one try waits for its whole answer.
	DefaultTimeout = 30 * time.Second

	// LongTimeout is how long a try waits at least where a receiver or a backlog
	// says how long the work lasts. Malote gives up a little sooner itself.
	LongTimeout = 6*time.Minute + 10*time.Second

	// DefaultMaxAnswer is how many bytes are read of an answer.
	DefaultMaxAnswer = 64 << 20
)

// Option changes a default of a [Client].
type Option func(*Client) error

// WithTimeout sets how long one try waits for its whole answer, instead of
// [DefaultTimeout]. The context of a call bounds all of its tries together.
func WithTimeout(timeout time.Duration) Option {
	return func(c *Client) error {
		if timeout <= 0 {
			return &ArgumentError{"WithTimeout", "takes a duration of more than 0"}
		}
		c.timeout = timeout
		return nil
	}
}

// WithRetry sets when a request that may be repeated is sent again, instead of
// Backoff{}. See also [NoRetry].
func WithRetry(policy RetryPolicy) Option {
	return func(c *Client) error {
		if policy == nil {
			return &ArgumentError{"WithRetry", "takes a policy, such as client.Backoff{Tries: 3} or client.NoRetry"}
		}
		c.retry = policy
		return nil
	}
}

// WithMaxAnswer sets how many bytes are read of an answer, instead of
// [DefaultMaxAnswer]. A longer one is an [AnswerError] that wraps
// [ErrAnswerTooLong].
func WithMaxAnswer(bytes int64) Option {
	return func(c *Client) error {
		if bytes <= 0 {
			return &ArgumentError{"WithMaxAnswer", "takes a number of bytes of more than 0"}
		}
		c.maxAnswer = bytes
		return nil
	}
}

// WithTransport sets what carries requests, such as an [http.Transport] with
// certificates or a proxy of your own, or one that measures. It must not follow
// redirects.
func WithTransport(transport http.RoundTripper) Option {
	return func(c *Client) error {
		if transport == nil {
			return &ArgumentError{"WithTransport", "takes a transport"}
		}
		c.transport = transport
		return nil
	}
}

// WithUserAgent names the program in the header User-Agent, such as shop/1.4.
func WithUserAgent(agent string) Option {
	return func(c *Client) error {
		if agent == "" || !isPlain(agent) {
			return &ArgumentError{"WithUserAgent", "takes printable ASCII characters, with no space around them"}
		}
		c.agent = agent
		return nil
	}
}
