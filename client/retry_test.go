package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/client"
)

var errReset = errors.New("connection reset by peer")

func TestRetry_WaitsAsLongAsItIsAsked(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(time.Time) (header string, earliest time.Time){
		"seconds": func(now time.Time) (string, time.Time) { return "7", now.Add(7 * time.Second) },
		"date": func(now time.Time) (string, time.Time) {
			at := now.Add(7 * time.Second).UTC().Truncate(time.Second) // it has no fractions
			return at.Format(http.TimeFormat), at
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var earliest time.Time
				c, w := over(t, func(n int, _ sent) (*http.Response, error) {
					require.False(t, time.Now().Before(earliest))
					require.Less(t, time.Since(earliest), time.Second, "not much later either")
					if n == 3 {
						return answer(202, `{"id":"evt_1"}`), nil
					}
					var header string
					header, earliest = ask(time.Now())
					return answer(429, `{"code":"","detail":"slow down"}`, "Retry-After", header), nil
				})
				earliest = time.Now()
				published, err := c.Publish(t.Context(), client.NewEvent{Type: "a.b", Data: []byte(`1`)})
				require.NoError(t, err)
				require.Equal(t, "evt_1", published.ID)
				require.Len(t, w.seen(), 3)
			})
		})
	}
}

func TestRetry_DoesNotWaitInVain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after string
		bound time.Duration
	}{
		"longer than anybody waits":  {"3600", 0},
		"longer than the deadline":   {"20", 10 * time.Second},
		"beyond what a number holds": {"99999999999999999999", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.bound > 0 {
					bounded, cancel := context.WithTimeout(ctx, test.bound)
					defer cancel()
					ctx = bounded
				}
				c, w := over(t, always(503, unavailable, "Retry-After", test.after))
				begun := time.Now()
				_, err := c.Publish(ctx, client.NewEvent{Type: "a.b", Data: []byte(`1`)})
				require.Zero(t, time.Since(begun))
				require.Len(t, w.seen(), 1)
				var failed *client.Error
				require.ErrorAs(t, err, &failed)
				require.GreaterOrEqual(t, failed.RetryAfter, 20*time.Second, "the caller may come back then")
				require.NotErrorIs(t, err, context.DeadlineExceeded)
			})
		})
	}
}

func TestRetry_EndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, w := over(t, always(503, unavailable, "Retry-After", "20"))
		time.AfterFunc(5*time.Second, cancel)
		begun := time.Now()
		_, err := c.Publish(ctx, client.NewEvent{Type: "a.b", Data: []byte(`1`)})
		require.Equal(t, 5*time.Second, time.Since(begun), "in the middle of the pause")
		require.Len(t, w.seen(), 1)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, client.CodeUnavailable, "and what it was waiting for")
		require.Contains(t, err.Error(), "database is away")

		_, err = c.Publish(ctx, client.NewEvent{Type: "a.b", Data: []byte(`1`)})
		require.ErrorIs(t, err, context.Canceled)
	})
}

// A try that hangs is given up, and the next one may work.
func TestRetry_AfterATryThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, w := over(t, func(n int, r sent) (*http.Response, error) {
			if n == 1 {
				<-r.whole.Context().Done()
				return nil, r.whole.Context().Err()
			}
			return answer(200, `{"id":"whe_1"}`), nil
		}, client.WithTimeout(3*time.Second))
		_, err := c.Endpoint(t.Context(), "whe_1")
		require.NoError(t, err)
		require.Len(t, w.seen(), 2)

		hangs, _ := over(t, func(_ int, r sent) (*http.Response, error) {
			<-r.whole.Context().Done()
			return nil, r.whole.Context().Err()
		}, client.WithTimeout(3*time.Second), client.WithRetry(client.NoRetry))
		_, err = hangs.Endpoint(t.Context(), "whe_1")
		var broken *client.ConnectionError
		require.ErrorAs(t, err, &broken)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Contains(t, err.Error(), "within 3s")

		begun := time.Now()
		_, err = hangs.TestEndpoint(t.Context(), "whe_1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, client.LongTimeout, time.Since(begun), "a receiver may take its time")
	})
}

func TestRetry_KeepsToTheNumberOfTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for tries, policy := range map[int]client.RetryPolicy{5: client.Backoff{}, 2: client.Backoff{Tries: 2}, 1: client.NoRetry} {
			c, w := over(t, func(int, sent) (*http.Response, error) { return nil, errReset }, client.WithRetry(policy))
			_, err := c.Tenant(t.Context(), "acme")
			require.ErrorIs(t, err, errReset)
			require.Len(t, w.seen(), tries)
		}
	})
}

func TestRetry_RepeatsOnlyWhatMayPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for status, tries := range map[int]int{400: 1, 401: 1, 404: 1, 409: 1, 422: 1, 500: 1, 302: 1, 429: 5, 502: 5, 503: 5, 504: 5} {
			c, w := over(t, always(status, `{"code":"x"}`))
			_, err := c.Tenant(t.Context(), "acme")
			var failed *client.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, tries > 1, failed.Temporary())
			require.Len(t, w.seen(), tries, status)
		}
		c, w := over(t, always(200, `not JSON`))
		_, err := c.Tenant(t.Context(), "acme")
		var unusable *client.AnswerError
		require.ErrorAs(t, err, &unusable)
		require.Len(t, w.seen(), 1, "it would not be JSON the next time")

		eager, w := over(t, always(500, `{"code":"internal"}`), client.WithRetry(eagerly{}))
		_, err = eager.Tenant(t.Context(), "acme")
		require.ErrorIs(t, err, client.CodeInternal)
		require.Len(t, w.seen(), 3, "a policy of one's own may know better")
		_, err = eager.ReplayDelivery(t.Context(), "whd_1")
		require.ErrorIs(t, err, client.CodeInternal)
		require.Len(t, w.seen(), 4, "but it is not asked about what may do harm")
	})
}

type eagerly struct{}

func (eagerly) Pause(tries int, err error) (time.Duration, bool) {
	var failed *client.Error
	return 0, errors.As(err, &failed) && failed.Status == 500 && tries < 3
}

func TestBackoff_GrowsAndStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		duration := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(rt, name))
		}
		b := client.Backoff{Tries: 100, First: duration("first"), Longest: duration("longest")}
		tries := rapid.IntRange(1, 99).Draw(rt, "tries")
		asked := time.Duration(rapid.IntRange(0, 4000).Draw(rt, "asked")) * time.Second
		pause, again := b.Pause(tries, fmt.Errorf("wrapped: %w", &client.Error{Status: 503, RetryAfter: asked}))
		if asked > b.Longest {
			require.False(rt, again)
			return
		}
		require.True(rt, again)
		usual := time.Duration(min(float64(b.First)*math.Exp2(float64(tries-1)), float64(b.Longest))) // both are exact below 2^53
		require.GreaterOrEqual(rt, pause, max(usual/2, asked))
		require.LessOrEqual(rt, pause, max(usual/2, asked)+usual/2+1)
	})
	_, again := client.Backoff{}.Pause(5, errReset)
	require.False(t, again)
	_, again = client.Backoff{}.Pause(4, errReset)
	require.True(t, again)
}

// An answer that breaks off is none.
func TestRetry_AfterHalfAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, w := over(t, func(n int, _ sent) (*http.Response, error) {
			got := answer(200, `{"id":"acme","name":"A"}`)
			if n == 1 {
				got.Body = io.NopCloser(io.MultiReader(io.LimitReader(got.Body, 9), broken{}))
			}
			return got, nil
		})
		tenant, err := c.Tenant(t.Context(), "acme")
		require.NoError(t, err)
		require.Equal(t, "A", tenant.Name)
		require.Len(t, w.seen(), 2)
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
