package ingest

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// Whatever bytes come in, however they are cut up and packed on the way, are the
// bytes that are published.
func TestDoor_ExactBytesAreKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	plain, packed := r.token(`"dedupe":"none"`), r.token(`"dedupe":"none","content_encoding":"as_received"`)
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 4000),
			rapid.Custom(func(t *rapid.T) []byte {
				return []byte(fmt.Sprintf(` {"id" : %q, "n": 1.10e+400, "u":"\u0000", "d":1,"d":2} `, rapid.String().Draw(t, "text")))
			}),
			rapid.Custom(func(t *rapid.T) []byte {
				return bytes.Repeat([]byte("a"), rapid.IntRange(60_000, 200_000).Draw(t, "size"))
			}),
		).Draw(t, "body")
		coding := rapid.SampledFrom([]string{"", "gzip", "deflate", "bare", "identity"}).Draw(t, "coding")
		asReceived := rapid.Bool().Draw(t, "as received")
		sent := pack(coding, body)
		id, want := plain, body
		if asReceived {
			id, want = packed, sent
		}
		request := httptest.NewRequest(http.MethodPost, pathOf(id), chopped{bytes.NewReader(sent), rapid.IntRange(1, 9000).Draw(t, "piece")})
		if rapid.Bool().Draw(t, "announced") {
			request.ContentLength = int64(len(sent))
		}
		request.Header.Set("X-Auth", "sesame")
		if coding != "" {
			request.Header.Set("Content-Encoding", strings.Replace(coding, "bare", "deflate", 1))
		}
		require.Equal(t, http.StatusOK, r.do(request).Code)
		event := r.ledger.last()
		require.True(t, bytes.Equal(want, event.Body))
		if asReceived && coding != "" && coding != "identity" {
			require.Contains(t, event.Headers, delivery.Header{Name: "Content-Encoding", Value: strings.Replace(coding, "bare", "deflate", 1)})
		}
	})
	require.Zero(t, r.door.room.bytes.taken.Load())
	require.Zero(t, r.door.room.places.taken.Load())
}

func (l *ledger) last() delivery.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	event := l.events[len(l.events)-1]
	l.events = l.events[:len(l.events)-1]
	return event
}

// chopped gives a body in pieces.
type chopped struct {
	from  *bytes.Reader
	piece int
}

func (c chopped) Read(into []byte) (int, error) { return c.from.Read(into[:min(len(into), c.piece)]) }

func pack(coding string, body []byte) []byte {
	var packed bytes.Buffer
	var to io.WriteCloser
	switch coding {
	case "gzip":
		to = gzip.NewWriter(&packed)
	case "deflate":
		to = zlib.NewWriter(&packed)
	case "bare":
		to, _ = flate.NewWriter(&packed, 5)
	default:
		return body
	}
	_, _ = to.Write(body)
	_ = to.Close()
	return packed.Bytes()
}

// A bomb is met by the same bound as a body, and takes no more memory: there is
// none for its whole content.
func TestDoor_InflationIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxBytes = 4 << 20 })
	id := r.token("")
	bomb := pack("gzip", make([]byte, 5<<20))
	for coding, packed := range map[string][]byte{
		"gzip": bomb, "deflate": pack("deflate", make([]byte, 5<<20)),
		"x-gzip": append(pack("gzip", make([]byte, 1<<20)), bomb...), // in a second member
	} {
		require.Equal(t, http.StatusRequestEntityTooLarge, r.post(id, string(packed), "Content-Encoding", coding).Code, coding)
	}
	whole := pack("gzip", []byte("x"))
	for name, broken := range map[string][]byte{
		"truncated": whole[:len(whole)-1], "something behind": append(bytes.Clone(whole), "tail"...),
		"wrong sum": append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 1, 0, 0, 0), "none": {},
	} {
		require.Equal(t, http.StatusBadRequest, r.post(id, string(broken), "Content-Encoding", "gzip").Code, name)
	}
	require.Equal(t, http.StatusBadRequest, r.post(id, string(append(pack("deflate", []byte("x")), 0)), "Content-Encoding", "deflate").Code)
	require.Equal(t, http.StatusUnsupportedMediaType, r.post(id, "x", "Content-Encoding", "gzip, gzip").Code)
	require.Equal(t, http.StatusUnsupportedMediaType, r.post(id, "x", "Content-Encoding", "gzip", "Content-Encoding", "gzip").Code)
	require.Empty(t, r.ledger.all())
	require.Zero(t, r.door.room.bytes.taken.Load())
}

// The cap comes before anything is read of a body that says how long it is, and
// before anything is verified of one that doesn't.
func TestDoor_BodiesAreCappedBeforeVerification(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	small := r.token(`"max_body_bytes":10`)
	require.Equal(t, http.StatusOK, r.post(small, "0123456789").Code)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.post(small, "0123456789X").Code)
	request := httptest.NewRequest(http.MethodPost, pathOf(small), io.MultiReader(strings.NewReader("0123456789"), strings.NewReader("X")))
	require.EqualValues(t, -1, request.ContentLength)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.do(request).Code, "although it is not genuine either")
	large := r.token("")
	require.Equal(t, http.StatusOK, r.post(large, strings.Repeat("x", DefaultMaxBody)).Code)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.post(large, strings.Repeat("x", DefaultMaxBody+1)).Code)
}

// raw sends bytes over a connection of its own and gives it back.
func raw(t *testing.T, server *httptest.Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = conn.Write([]byte(text))
	require.NoError(t, err)
	return conn
}

func statusFrom(t *testing.T, conn net.Conn) int {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	return response.StatusCode
}

func TestDoor_SlowBodiesAreCutOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.BodyTime = 200 * time.Millisecond })
	server, id := r.serve(), r.token("")
	head := "POST " + pathOf(id) + " HTTP/1.1\r\nHost: x\r\nX-Auth: sesame\r\n"
	for _, begun := range []string{
		head + "Content-Length: 10\r\n\r\nabc",
		head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	} {
		require.Equal(t, http.StatusRequestTimeout, statusFrom(t, raw(t, server, begun)))
	}
	// Who hangs up in the middle leaves nothing behind.
	raw(t, server, head+"Content-Length: 10\r\n\r\nabc").Close()
	require.Eventually(t, func() bool { return r.door.room.places.taken.Load() == 0 }, 5*time.Second, time.Millisecond)
	require.Zero(t, r.door.room.bytes.taken.Load())
	require.Empty(t, r.ledger.all())
}

// A body's deadline is not that of the commit.
func TestDoor_TheCommitHasItsOwnTime(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.BodyTime, o.StorageTime = 100*time.Millisecond, 10*time.Second })
	committing := make(chan struct{})
	r.ledger.when(nil, func() error { <-committing; return nil })
	conn := raw(t, r.serve(), "POST "+pathOf(r.token(""))+" HTTP/1.1\r\nHost: x\r\nX-Auth: sesame\r\nContent-Length: 1\r\n\r\nx")
	timer := time.AfterFunc(300*time.Millisecond, func() { close(committing) })
	defer timer.Stop()
	require.Equal(t, http.StatusOK, statusFrom(t, conn))
}

func TestDoor_HugeHeaders(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := r.serve()
	id := r.token(`"forward_headers":["X-Big","X-Small"]`)
	send := func(header string) int {
		return statusFrom(t, raw(t, server, "POST "+pathOf(id)+" HTTP/1.1\r\nHost: x\r\n"+header+"Content-Length: 1\r\n\r\nx"))
	}
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, send("X-Big: "+strings.Repeat("x", 80<<10)+"\r\n"))
	require.Equal(t, http.StatusUnauthorized, send("X-Auth: "+strings.Repeat("x", 40<<10)+"\r\n"))
	require.Equal(t, http.StatusOK, send("X-Auth: sesame\r\nX-Big: "+strings.Repeat("x", 40<<10)+"\r\nX-Small: y\r\n"))
	require.Len(t, r.ledger.all(), 1)
	require.Empty(t, r.ledger.all()[0].Headers, "what is over the bound is left out")
}
