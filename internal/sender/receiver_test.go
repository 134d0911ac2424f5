package sender

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// receiver is an endpoint made of a bare listener: what it says is up to the
// test, byte by byte.
type receiver struct {
	address string
	port    uint16
	tls     *tls.Config // nil: plain

	mu       sync.Mutex
	conns    map[net.Conn]bool
	accepted int
	requests []request
	closed   bool
	over     chan struct{} // closed at the test's end
	running  sync.WaitGroup
}

// request is one whole request as it arrived.
type request struct {
	line   string
	fields []string // header lines as they were sent
	header http.Header
	body   []byte
}

// peer is the receiver's side of one connection.
type peer struct {
	net.Conn
	raw      *net.TCPConn
	in       *bufio.Reader
	number   int // of the connection: 1…
	receiver *receiver
}

// serve runs script on every connection that comes in. The connection is
// closed when script returns, or at the end of the test.
func serve(t testing.TB, script func(*peer)) *receiver { return serveTLS(t, nil, script) }

func serveTLS(t testing.TB, config *tls.Config, script func(*peer)) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &receiver{address: listener.Addr().String(), tls: config, conns: map[net.Conn]bool{}, over: make(chan struct{})}
	r.port = listener.Addr().(*net.TCPAddr).AddrPort().Port()
	r.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if p := r.welcome(conn.(*net.TCPConn)); p != nil {
				r.running.Go(func() {
					defer r.leave(p)
					script(p)
				})
			}
		}
	})
	t.Cleanup(func() {
		listener.Close()
		close(r.over)
		r.closeAll()
		r.running.Wait()
	})
	return r
}

func (r *receiver) welcome(conn *net.TCPConn) *peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		conn.Close()
		return nil
	}
	r.accepted++
	r.conns[conn] = true
	p := &peer{Conn: conn, raw: conn, number: r.accepted, receiver: r}
	if r.tls != nil {
		p.Conn = tls.Server(conn, r.tls)
	}
	p.in = bufio.NewReader(p.Conn)
	return p
}

func (r *receiver) leave(p *peer) {
	p.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, p.raw)
}

func (r *receiver) closeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for conn := range r.conns {
		conn.Close()
	}
}

func (r *receiver) url() string {
	if r.tls != nil {
		return "https://" + r.address + "/hook"
	}
	return "http://" + r.address + "/hook"
}

// named is the URL under a host name.
func (r *receiver) named(host string) string {
	return strings.Replace(r.url(), "127.0.0.1", host, 1)
}

// seen is how many connections and whole requests came.
func (r *receiver) seen() (conns, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.accepted, len(r.requests)
}

func (r *receiver) request(t testing.TB, i int) request {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Greater(t, len(r.requests), i)
	return r.requests[i]
}

// takeHead reads a request up to its body.
func (p *peer) takeHead() (request, error) {
	var got request
	line, err := p.line()
	if err != nil {
		return got, err
	}
	got.line, got.header = line, http.Header{}
	for {
		line, err := p.line()
		if err != nil || line == "" {
			return got, err
		}
		name, value, found := strings.Cut(line, ": ")
		if !found {
			return got, errors.New("a header line without a colon")
		}
		got.fields = append(got.fields, line)
		got.header.Add(name, value)
	}
}

// take reads one whole request and notes it. It says whether one came.
func (p *peer) take() bool {
	got, err := p.takeHead()
	if err != nil {
		return false
	}
	length, err := strconv.Atoi(got.header.Get("Content-Length"))
	if err != nil {
		return false
	}
	got.body = make([]byte, length)
	if _, err := io.ReadFull(p.in, got.body); err != nil {
		return false
	}
	p.receiver.mu.Lock()
	defer p.receiver.mu.Unlock()
	p.receiver.requests = append(p.receiver.requests, got)
	return true
}

func (p *peer) line() (string, error) {
	line, err := p.in.ReadString('\n')
	return strings.TrimSuffix(line, "\r\n"), err
}

// say writes and reports whether the other end still listens.
func (p *peer) say(text string) bool {
	_, err := io.WriteString(p, text)
	return err == nil
}

// answer takes a request and says text.
func (p *peer) answer(text string) bool { return p.take() && p.say(text) }

// hold waits until the other end closes.
func (p *peer) hold() { _, _ = io.Copy(io.Discard, p.in) }

// sit does nothing, not even read, until the end of the test.
func (p *peer) sit() { <-p.receiver.over }

// reset closes so that the other end gets a reset in place of an end.
func (p *peer) reset() {
	_ = p.raw.SetLinger(0)
	p.raw.Close()
}

// always answers every request of a connection with text.
func always(text string) func(*peer) {
	return func(p *peer) {
		for p.answer(text) {
		}
	}
}

// once answers one request with text and then waits to be left.
func once(text string) func(*peer) {
	return func(p *peer) {
		if p.answer(text) {
			p.hold()
		}
	}
}

// parting answers one request with text and closes.
func parting(text string) func(*peer) {
	return func(p *peer) { p.answer(text) }
}
