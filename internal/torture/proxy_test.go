package torture_test

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy stands between one process and PostgreSQL, and is the network's bad days.
type proxy struct {
	listener net.Listener
	socket   string // PostgreSQL's

	loseCommits, loseAnswers atomic.Int32
	stalled                  atomic.Int64 // nanoseconds that each chunk takes

	mu    sync.Mutex
	links map[*link]bool
}

// link is one connection.
type link struct {
	client, server net.Conn
	silent         atomic.Bool // nothing passes any more, and nobody is told
}

func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}

func newProxy(t *testing.T, databaseURL string) *proxy {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{
		listener: listener, links: make(map[*link]bool),
		socket: u.Query().Get("host") + "/.s.PGSQL." + u.Query().Get("port"),
	}
	go p.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
	})
	return p
}

// url is the database's through this proxy.
func (p *proxy) url(t *testing.T, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	u.Host, u.RawQuery = p.listener.Addr().String(), "sslmode=disable"
	return u.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.socket)
		if err != nil {
			_ = client.Close()
			continue
		}
		l := &link{client: client, server: server}
		p.mu.Lock()
		p.links[l] = true
		p.mu.Unlock()
		go p.pump(l, server, client, nil)
		go p.pump(l, client, server, p.lose)
	}
}

// pump carries one direction. lose says that a chunk, and the connection with it,
// is lost.
func (p *proxy) pump(l *link, to, from net.Conn, lose func([]byte) bool) {
	defer func() {
		if l.silent.Load() {
			return // the other side must not learn of it; cut or mend will close it
		}
		l.close()
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if pause := time.Duration(p.stalled.Load()); pause > 0 {
			<-time.NewTimer(pause).C
		}
		switch {
		case l.silent.Load() && err != nil:
			return
		case l.silent.Load():
			continue
		case n > 0 && lose != nil && lose(buffer[:n]):
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

var (
	committed = []byte("COMMIT\x00")         // CommandComplete
	idle      = []byte("Z\x00\x00\x00\x05I") // ReadyForQuery, outside of any transaction
)

func (p *proxy) lose(chunk []byte) bool {
	return takeOne(&p.loseCommits, bytes.Contains(chunk, committed)) || takeOne(&p.loseAnswers, bytes.Contains(chunk, idle))
}

func takeOne(left *atomic.Int32, wanted bool) bool {
	for wanted {
		n := left.Load()
		if n <= 0 {
			return false
		}
		if left.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

func (p *proxy) current() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*link
	for l := range p.links {
		list = append(list, l)
	}
	return list
}

// cut breaks all connections.
func (p *proxy) cut() {
	for _, l := range p.current() {
		l.close()
	}
}

// silence makes all connections of now half-open for a while. PostgreSQL sees
// them end; the process sees nothing at all.
func (p *proxy) silence(ctx context.Context, d time.Duration) {
	links := p.current()
	for _, l := range links {
		l.silent.Store(true)
		_ = l.server.Close()
	}
	wait(ctx, d)
	for _, l := range links {
		l.close()
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}
}

// mend lets everything pass.
func (p *proxy) mend() {
	p.loseCommits.Store(0)
	p.loseAnswers.Store(0)
	p.stalled.Store(0)
}

// wait waits, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
