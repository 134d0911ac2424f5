package ingest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/source"
)

// firstBytes is how much memory a body gets before any of it has come; more is
// taken as the bytes really come.
const firstBytes = 8 << 10

// make gives an empty slice of that capacity; nil: there is no room for it.
func (h *holding) make(capacity int) []byte {
	if !h.takeBytes(int64(capacity)) {
		return nil
	}
	return make([]byte, 0, capacity)
}

// grow moves a full slice into a larger one, of which no more than most is needed.
func (h *holding) grow(full []byte, most int) []byte {
	larger := h.make(min(2*cap(full), most))
	if larger == nil {
		return nil
	}
	h.giveBytes(int64(cap(full)))
	return append(larger, full...)
}

// readAll reads at most limit bytes. expected is how many are announced, or less
// than 0. What it returns belongs to the request alone and is never used again: a
// publisher may still hold it after the sender has gone, and the handler too. A
// reason says why it was not read whole.
func (h *holding) readAll(from io.Reader, limit int, expected int64) ([]byte, source.Reason) {
	if expected > int64(limit) {
		return nil, BodyTooLarge
	}
	most := limit + 1 // one byte more shows that there are more
	if expected >= 0 {
		most = int(expected) + 1
	}
	content := h.make(min(most, firstBytes))
	for content != nil {
		n, err := from.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case len(content) > limit:
			return nil, BodyTooLarge
		case errors.Is(err, io.EOF):
			return content, ""
		case err != nil:
			return nil, reasonOfRead(err)
		case len(content) == cap(content):
			if cap(content) >= most {
				most = limit + 1 // more comes than was announced
			}
			content = h.grow(content, most)
		}
	}
	return nil, Overloaded
}

func reasonOfRead(err error) source.Reason {
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return BodyTooSlow
	}
	return BodyIncomplete
}

// limitBodyTime sets the deadline of a request's body, whether or not anybody
// reads it: net/http waits for what a handler leaves. It does not bind the wait
// for the commit: net/http takes it away when the body has been read to its end.
func limitBodyTime(w http.ResponseWriter, r *http.Request, within time.Duration) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within)) // tests have connections without
	}
}

// receive reads the body. One that is not there soon is waited for in a place
// apart, or, when all of those are taken, not at all.
func (p *passage) receive() ([]byte, source.Reason) {
	if p.r.ContentLength == 0 {
		return p.memory.readAll(p.r.Body, p.live.settings.MaxBodyBytes, 0)
	}
	arrived, cut := false, false // both under the holding's lock
	clock := time.AfterFunc(prompt, func() {
		p.memory.mu.Lock()
		defer p.memory.mu.Unlock()
		if !arrived && !p.memory.wait() {
			cut = true
			_ = http.NewResponseController(p.w).SetReadDeadline(time.Now())
		}
	})
	body, reason := p.memory.readAll(p.r.Body, p.live.settings.MaxBodyBytes, p.r.ContentLength)
	clock.Stop()
	p.memory.mu.Lock()
	arrived = true
	if cut && reason == BodyTooSlow {
		reason = Overloaded
	}
	p.memory.mu.Unlock()
	if reason == "" && !p.memory.goOn() {
		reason = Overloaded
	}
	return body, reason
}
