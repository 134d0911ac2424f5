package sender

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// One attempt is one request (I9): net/http would send a POST again by itself
// when a kept connection dies under it and it finds an idempotency key.
func TestSend_A05_G03_NeverRepeatsARequestByItself(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"body": `{"a":1}`, "empty body": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := serve(t, func(p *peer) {
				if p.answer(ok) {
					p.take() // and close, having read the second request
				}
			})
			sender, p := newSender(t, Options{}), standard(patient)
			p.Headers.IdempotencyKey = "Idempotency-Key"
			claim := claimFor(receiver.url())
			claim.Event.Body = []byte(body)

			require.Equal(t, 200, send(t, sender, claim, p).Status)
			outcome := send(t, sender, claim, p)
			require.Equal(t, delivery.Reset, outcome.Error)
			conns, requests := receiver.seen()
			require.Equal(t, 1, conns, "the connection was not used again, so this proves nothing")
			require.Equal(t, 2, requests)
		})
	}
}

func TestSend_ConnectionIsReusedIfTheBodyEndedWithinTheLimit(t *testing.T) {
	t.Parallel()
	within, beyond := withLength(200, strings.Repeat("x", 64<<10)), withLength(200, strings.Repeat("x", 64<<10+1))
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		answer string
		policy *policy.Policy
		conns  int
	}{
		"no body":                      {ok, standard(patient), 1},
		"body of the limit":            {within, standard(patient), 1},
		"body beyond the limit":        {beyond, standard(patient), 3},
		"chunked body":                 {chunked, standard(patient), 1},
		"failure's body":               {withLength(500, strings.Repeat("x", 2<<10)), standard(patient), 1},
		"no body and none read (F01)":  {ok, fairQueue(patient), 1},
		"a body and none read (F01)":   {withLength(200, "x"), fairQueue(patient), 3},
		"the endpoint asks to close":   {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", standard(patient), 3},
		"204 without a body, no limit": {"HTTP/1.1 204 No Content\r\n\r\n", fairQueue(patient), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := serve(t, always(c.answer))
			sender := newSender(t, Options{})
			for range 3 {
				require.Empty(t, send(t, sender, claimFor(receiver.url()), c.policy).Error)
			}
			conns, requests := receiver.seen()
			require.Equal(t, 3, requests)
			require.Equal(t, c.conns, conns)
		})
	}
}

func TestSend_IdleConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	const attempts = defaultIdlePerHost + 16
	var arrived atomic.Int32
	all := make(chan struct{})
	receiver := serve(t, func(p *peer) {
		if !p.take() {
			return
		}
		if arrived.Add(1) == attempts {
			close(all)
		}
		<-all // so that every attempt has a connection of its own
		p.say(ok)
		p.hold()
	})
	sender, claim := newSender(t, Options{}), claimFor(receiver.url())
	var sends sync.WaitGroup
	for range attempts {
		sends.Go(func() {
			assertEqual(t, 200, sender.Send(t.Context(), claim, standard(30*time.Second), time.Now()).Status)
		})
	}
	sends.Wait()
	require.Eventually(t, func() bool {
		receiver.mu.Lock()
		defer receiver.mu.Unlock()
		return len(receiver.conns) <= defaultIdlePerHost
	}, idleTimeout/2, 10*time.Millisecond)
}

func TestSend_D01_DeadlineHoldsInEveryPhase(t *testing.T) {
	t.Parallel()
	silent := func(p *peer) { p.hold() }
	for name, c := range map[string]struct {
		url     func(t *testing.T) string
		options Options
		body    int
		text    string
	}{
		"name server hangs": {
			url:     func(*testing.T) string { return "https://hooks.example.com/" },
			options: Options{Resolver: lookup(func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() })},
			text:    "resolved",
		},
		"connection is not taken": {url: fullBacklog, text: "no connection had been made"},
		"handshake stalls": {
			url:  func(t *testing.T) string { return strings.Replace(serve(t, silent).url(), "http:", "https:", 1) },
			text: "handshake",
		},
		"request is never read": {
			url: func(t *testing.T) string {
				return serve(t, (*peer).sit).url()
			},
			body: 32 << 20,
			text: "had not been taken in full",
		},
		"no answer": {url: func(t *testing.T) string { return serve(t, silent).url() }, text: "no answer had come"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := claimFor(c.url(t))
			if c.body > 0 {
				claim.Event.Body = make([]byte, c.body)
			}
			outcome := send(t, newSender(t, c.options), claim, standard(hasty))
			require.Equal(t, delivery.Timeout, outcome.Error, "%+v", outcome)
			require.Zero(t, outcome.Status)
			require.Contains(t, outcome.ErrorText, c.text)
			require.Contains(t, outcome.ErrorText, hasty.String())
			require.GreaterOrEqual(t, outcome.Duration, hasty)
		})
	}
}

// fullBacklog is the URL of a listener that takes no connection any more.
func fullBacklog(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, syscall.Listen(socket, 0))
	name, err := syscall.Getsockname(socket)
	require.NoError(t, err)
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(name.(*syscall.SockaddrInet4).Port)).String()
	for range 64 {
		conn, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return "http://" + address + "/"
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Skip("this system takes connections without end")
	return ""
}

func TestSend_ClosesWhatItCannotUseAgain(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"timed out":    "",
		"switched":     "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"malformed":    "nonsense\r\n",
		"rest unread":  withLength(200, strings.Repeat("x", 1<<20)),
		"end unknown":  "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
		"interim only": strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", maxInterim+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := make(chan struct{})
			receiver := serve(t, func(p *peer) {
				p.answer(answer)
				p.hold() // returns when the sender closes
				close(left)
			})
			send(t, newSender(t, Options{}), claimFor(receiver.url()), standard(hasty))
			select {
			case <-left:
			case <-time.After(patient):
				t.Fatal("the connection is still open")
			}
		})
	}
}

// A dial that goes on after another connection took the request must not make
// a time-out look like one of the dial.
func TestAttempt_PhaseOnlyGrows(t *testing.T) {
	t.Parallel()
	a := &attempt{allowed: hasty}
	for _, to := range []phase{connecting, sending, handshaking, connecting} {
		a.reach(to)
	}
	require.Contains(t, a.timeout().text, unfinished[sending])
}

func TestDialer_OneAttemptOpensFewConnections(t *testing.T) {
	t.Parallel()
	receiver, sender := serve(t, (*peer).hold), newSender(t, Options{})
	ctx := (&attempt{deadline: time.Now().Add(patient)}).follow(t.Context())
	for range maxDials {
		conn, err := sender.transport.DialContext(ctx, "tcp", receiver.address)
		require.NoError(t, err)
		conn.Close()
	}
	_, err := sender.transport.DialContext(ctx, "tcp", receiver.address)
	require.ErrorIs(t, err, errDials)
}

// net/http takes a dial out of its request's context.
func TestSend_DialEndsWithItsAttempt(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	receiver := serve(t, func(p *peer) {
		p.hold()
		close(left)
	})
	claim := claimFor(strings.Replace(receiver.url(), "http:", "https:", 1))
	require.Equal(t, delivery.Timeout, send(t, newSender(t, Options{}), claim, standard(hasty)).Error)
	select {
	case <-left:
	case <-time.After(patient):
		t.Fatal("the handshake is still going on")
	}
}

func TestSend_F07_RetryAfterIsPassedOnAsItCame(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"120": "120", "Wed, 21 Oct 2026 07:28:00 GMT": "Wed, 21 Oct 2026 07:28:00 GMT", "-1": "-1", "soon": "soon",
		strings.Repeat("9", 64): strings.Repeat("9", 64), strings.Repeat("9", 65): "", "": "",
	} {
		for _, status := range []int{200, 429, 503} {
			receiver := serve(t, once(fmt.Sprintf("HTTP/1.1 %d X\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", status, given)))
			require.Equal(t, want, send(t, newSender(t, Options{}), claimFor(receiver.url()), standard(patient)).RetryAfter)
		}
	}
}

func TestSend_ShutdownIsNotATimeout(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"before the answer": "", "within the body": "HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, shutdown := context.WithCancel(t.Context())
			receiver := serve(t, func(p *peer) {
				if p.answer(answer) {
					shutdown()
					p.hold()
				}
			})
			p := standard(patient)
			outcome := newSender(t, Options{}).Send(ctx, claimFor(receiver.url()), p, time.Now())
			checkOutcome(t, p, outcome)
			require.Equal(t, delivery.InterruptedSend, outcome.Error)
			require.Less(t, outcome.Duration, patient/2)
		})
	}
	t.Run("before the start", func(t *testing.T) {
		t.Parallel()
		receiver := serve(t, always(ok))
		ctx, shutdown := context.WithCancel(t.Context())
		shutdown()
		outcome := newSender(t, Options{}).Send(ctx, claimFor(receiver.url()), standard(patient), time.Now())
		require.Equal(t, delivery.InterruptedSend, outcome.Error)
		conns, _ := receiver.seen()
		require.Zero(t, conns)
	})
	t.Run("by the caller's own deadline", func(t *testing.T) {
		t.Parallel()
		receiver := serve(t, func(p *peer) { p.hold() })
		ctx, cancel := context.WithTimeout(t.Context(), hasty)
		defer cancel()
		outcome := newSender(t, Options{}).Send(ctx, claimFor(receiver.url()), standard(patient), time.Now())
		require.Equal(t, delivery.InterruptedSend, outcome.Error)
	})
}

func TestSend_RefusedConnection(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	listener.Close()
	outcome := send(t, newSender(t, Options{}), claimFor("http://"+listener.Addr().String()+"/"), standard(patient))
	require.Equal(t, delivery.ConnectRefused, outcome.Error)
}

// A receiver that refuses by the headers alone has its say, whether it reads
// the rest or not (F09).
func TestSend_F09_AnswerBeforeTheBodyWasRead(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(*peer){
		"then nothing":  (*peer).sit,
		"then it reads": (*peer).hold,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := serve(t, func(p *peer) {
				if _, err := p.takeHead(); err == nil && p.say(withLength(413, "too large")) {
					after(p)
				}
			})
			claim := claimFor(receiver.url())
			claim.Event.Body = make([]byte, 16<<20)
			outcome := send(t, newSender(t, Options{}), claim, standard(patient))
			require.Equal(t, 413, outcome.Status, "%+v", outcome)
			require.Empty(t, outcome.Error)
			require.Equal(t, "too large", string(outcome.Response))
		})
	}
}
