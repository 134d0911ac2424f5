package ingest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/source"
)

// firstBytes is how much memory an announced length gets at once; more is taken
// as the bytes really come.
const firstBytes = 64 << 10

// holding is the memory of one request, counted against all.
type holding struct {
	room *counter
	held int64
}

// make gives an empty slice of that capacity; nil: there is no room for it.
func (h *holding) make(capacity int) []byte {
	if !h.room.take(int64(capacity)) {
		return nil
	}
	h.held += int64(capacity)
	return make([]byte, 0, capacity)
}

// grow moves a full slice into a larger one, of which no more than most is needed.
func (h *holding) grow(full []byte, most int) []byte {
	larger := h.make(min(max(2*cap(full), 4<<10), most))
	if larger == nil {
		return nil
	}
	h.room.give(int64(cap(full)))
	h.held -= int64(cap(full))
	return append(larger, full...)
}

func (h *holding) leave() { h.room.give(h.held) }

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
			content = h.grow(content, limit+1)
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
