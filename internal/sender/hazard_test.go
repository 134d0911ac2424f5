package sender

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// drip says text byte by byte, too slowly for any deadline of the tests.
func (p *peer) drip(text string) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for p.say(text[:1]) {
		if text = text[1:]; text == "" {
			p.hold()
			return
		}
		<-ticker.C
	}
}

// endless says text again and again until the other end leaves.
func (p *peer) endless(text string) {
	for p.say(text) {
	}
}

// gzipBomb inflates to as many MiB, a thousand times its own size. Its members
// (RFC 1952 §2.2) are all the same.
func gzipBomb(t testing.TB, mebibytes int) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return strings.Repeat(packed.String(), mebibytes)
}

func withLength(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length: %d\r\n\r\n%s", status, http.StatusText(status), len(body), body)
}

type hazard struct {
	name   string
	script func(*peer)
	policy func(time.Duration) *policy.Policy // nil: standard
	hasty  bool                               // it ends by the deadline, not before

	status   int
	code     delivery.ErrorCode
	text     string // in ErrorText
	response string
}

func hazards(t *testing.T) []hazard {
	return slices.Concat(interimHazards(), sizeHazards(t), slowHazards(), brokenHazards(), malformedHazards(), oddHazards())
}

func interimHazards() []hazard {
	switching := "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	return []hazard{
		{name: "101 and silence", script: once(switching), status: 101, code: delivery.Protocol},
		{name: "101 and a flood", script: func(p *peer) {
			if p.answer(switching) {
				p.endless(strings.Repeat("x", 4096))
			}
		}, status: 101, code: delivery.Protocol},
		{name: "101 without an upgrade", script: once("HTTP/1.1 101 Switching Protocols\r\n\r\n"), status: 101, code: delivery.Protocol},

		{name: "1xx flood", script: func(p *peer) {
			if p.take() {
				p.endless("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
			}
		}, code: delivery.Protocol, text: "1xx"},
		{name: "a few 1xx", script: once(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 3) + ok), status: 200},
		{name: "1xx, then the end", script: parting("HTTP/1.1 103 Early Hints\r\n\r\n"), code: delivery.Reset},
	}
}

func sizeHazards(t *testing.T) []hazard {
	bomb := gzipBomb(t, 256)
	return []hazard{
		{name: "header bomb, one header", script: once("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"), code: delivery.Protocol},
		{name: "header bomb, endless", script: func(p *peer) {
			if p.answer("HTTP/1.1 200 OK\r\n") {
				p.endless("X-Filler: " + strings.Repeat("x", 100) + "\r\n")
			}
		}, code: delivery.Protocol},
		{name: "large headers within the limit", script: once("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + strings.Repeat("x", 60<<10) + "\r\n\r\n"), status: 200},

		{name: "gzip bomb", script: once(
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(bomb), bomb)),
			status: 200},
		{name: "gzip bomb of a failure", script: once(
			fmt.Sprintf("HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(bomb), bomb)),
			status: 500, response: bomb[:1<<10]},

		{name: "endless chunked", script: func(p *peer) {
			if p.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") {
				p.endless("1000\r\n" + strings.Repeat("x", 0x1000) + "\r\n")
			}
		}, status: 200},
		{name: "endless without a length", script: func(p *peer) {
			if p.answer("HTTP/1.1 503 Busy\r\n\r\n") {
				p.endless(strings.Repeat("x", 4096))
			}
		}, status: 503, response: strings.Repeat("x", 1<<10)},
	}
}

func slowHazards() []hazard {
	return []hazard{
		{name: "dripping body", script: func(p *peer) {
			if p.answer("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") {
				p.drip(strings.Repeat("x", 1000))
			}
		}, hasty: true, status: 200, code: delivery.Timeout, text: "body"},
		{name: "dripping body that is not read (F01)", script: func(p *peer) {
			if p.answer("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") {
				p.drip(strings.Repeat("x", 1000))
			}
		}, policy: fairQueue, status: 200},
		{name: "dripping headers", script: func(p *peer) {
			if p.take() {
				p.drip("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1000))
			}
		}, hasty: true, code: delivery.Timeout, text: "headers"},
		{name: "never answers", script: func(p *peer) { p.hold() }, hasty: true, code: delivery.Timeout, text: "no answer had come"},
	}
}

func brokenHazards() []hazard {
	broken := "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"
	return []hazard{
		{name: "reset after 200 (F01)", script: func(p *peer) {
			if p.answer(broken) {
				p.reset()
			}
		}, policy: fairQueue, status: 200},
		{name: "reset after 200 (D03)", script: func(p *peer) {
			if p.answer(broken) {
				p.reset()
			}
		}, policy: dracma, status: 200, code: delivery.ResponseTruncated},
		{name: "end after 200", script: parting(broken), status: 200, code: delivery.ResponseTruncated},
		{name: "end within a failure's body", script: parting(strings.Replace(broken, "200 OK", "500 No", 1)),
			status: 500, code: delivery.ResponseTruncated, response: "only this"},
		{name: "reset before the answer", script: func(p *peer) {
			if p.take() {
				p.reset()
			}
		}, code: delivery.Reset},
		{name: "reset at once", script: (*peer).reset, code: delivery.Reset},
		{name: "end at once", script: func(*peer) {}, code: delivery.Reset},
		{name: "end before the answer", script: parting(""), code: delivery.Reset},
		{name: "end within the status line", script: parting("HTTP/1.1 200 O"), code: delivery.Reset},
		{name: "end within the headers", script: parting("HTTP/1.1 200 OK\r\nX: y\r\n"), code: delivery.Reset},
	}
}

func malformedHazards() []hazard {
	return []hazard{
		{name: "HTTP/0.9", script: parting("<html>hello</html>\n"), code: delivery.Protocol},
		{name: "HTTP/0.9 without a line", script: parting("hello"), code: delivery.Protocol},
		{name: "another protocol", script: once("220 mail.example.com ESMTP\r\n"), code: delivery.Protocol},
		{name: "two lengths", script: once("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy"), code: delivery.Protocol},
		{name: "negative length", script: once("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), code: delivery.Protocol},
		{name: "unknown transfer encoding", script: once("HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n"), code: delivery.Protocol},
		{name: "bad chunk", script: once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), status: 200, code: delivery.ResponseTruncated},
		{name: "header without a colon", script: once("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), code: delivery.Protocol},
		{name: "two-digit status", script: once("HTTP/1.1 20 OK\r\n\r\n"), code: delivery.Protocol},
		{name: "four-digit status", script: once("HTTP/1.1 2000 OK\r\n\r\n"), code: delivery.Protocol},
		{name: "signed status", script: once("HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n"), code: delivery.Protocol},
		{name: "status 000", script: once("HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n"), code: delivery.Protocol},
		{name: "huge trailers", script: once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\nX: " +
			strings.Repeat("x", 1<<20) + "\r\n\r\n"), status: 200, code: delivery.ResponseTruncated},
		{name: "huge trailers that are not read (F01)", script: once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\nX: " +
			strings.Repeat("x", 1<<20) + "\r\n\r\n"), policy: fairQueue, status: 200},
		{name: "a TLS port behind an http URL", script: parting("\x15\x03\x01\x00\x02\x02\x16"), code: delivery.Protocol},
	}
}

// oddHazards are unusual, and answers all the same.
func oddHazards() []hazard {
	return []hazard{
		{name: "HTTP/1.0", script: parting("HTTP/1.0 200 OK\r\n\r\ndone"), status: 200},
		{name: "HTTP/1.0 with a length", script: parting("HTTP/1.0 201 Created\r\nContent-Length: 4\r\n\r\ndone"), status: 201},
		{name: "one length twice", script: once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nxy"), status: 200},
		{name: "length and chunks", script: once("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), status: 200},
		{name: "status 999", script: once("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"), status: 999},
		{name: "204 with a body", script: once("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), status: 204},
	}
}

// Every row of the hazard table that needs nothing but a scripted listener.
func TestSend_HostileEndpoint(t *testing.T) {
	t.Parallel()
	for _, h := range hazards(t) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			deadline, contract := patient, standard
			if h.hasty {
				deadline = hasty
			}
			if h.policy != nil {
				contract = h.policy
			}
			receiver := serve(t, h.script)
			outcome := send(t, newSender(t, Options{}), claimFor(receiver.url()), contract(deadline))

			require.Equal(t, h.code, outcome.Error, "%+v", outcome)
			require.Equal(t, h.status, outcome.Status)
			require.Equal(t, h.response, string(outcome.Response))
			require.Contains(t, outcome.ErrorText, h.text)
			if !h.hasty {
				require.Less(t, outcome.Duration, patient/2, "it must not wait for the deadline")
			}
			conns, _ := receiver.seen()
			require.Equal(t, 1, conns)
		})
	}
}

func TestSend_F01_D03_ResetAfter200IsThePolicysToJudge(t *testing.T) {
	t.Parallel()
	receiver := serve(t, func(p *peer) {
		if p.answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this") {
			p.reset()
		}
	})
	sender := newSender(t, Options{})
	for _, c := range []struct {
		policy *policy.Policy
		want   bool
	}{{fairQueue(patient), true}, {standard(patient), true}, {dracma(patient), false}} {
		outcome := send(t, sender, claimFor(receiver.url()), c.policy)
		require.Equal(t, c.want, c.policy.Succeeds(outcome), "%s: %+v", c.policy.Name, outcome)
	}
}
