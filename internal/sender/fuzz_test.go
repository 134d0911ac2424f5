package sender

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whatever comes back, an attempt ends in time with an outcome that makes sense.
func FuzzSend_AnyAnswer(f *testing.F) {
	for _, seed := range []string{
		ok, "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nraw",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 500 No\r\n\r\nsorry",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 +20 X\r\n\r\n", "HTTP/1.1 999\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	var answer atomic.Pointer[[]byte]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(f, err)
	f.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write(*answer.Load())
			conn.Close()
		}
	}()
	f.Fuzz(func(t *testing.T, text []byte) {
		answer.Store(&text)
		p := standard(5 * time.Second)
		sender := newSender(t, Options{})
		outcome := sender.Send(t.Context(), claimFor("http://"+listener.Addr().String()+"/"), p, time.Now())
		checkOutcome(t, p, outcome)
		require.Less(t, outcome.Duration, p.Deadline, "%+v", outcome)
	})
}
