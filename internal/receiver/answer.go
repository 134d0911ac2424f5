package receiver

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"time"
)

// perform answers as the reaction says. It returns early when the sender goes
// away or the receiver stops. accept is called just before the answer begins,
// if it is one that accepts: what a sender was told is on the books before.
func (r Reaction) perform(w http.ResponseWriter, request *http.Request, arrival *Arrival, accept func()) {
	ctx := request.Context()
	if !wait(ctx, r.Delay) {
		panic(http.ErrAbortHandler) // nobody reads an answer any more
	}
	if r.Accepts() {
		accept()
	}
	switch r.Ending {
	case Reset:
		reset(w)
	case Hang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case BreakOff:
		r.breakOff(w, arrival)
	case Drip:
		r.drip(ctx, w)
	default:
		r.answer(w, arrival)
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reset closes the connection so that the sender gets a TCP reset, not an end
// of stream: lingering for no time makes the kernel throw away what is unsent.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // not HTTP/1
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it fails on a connection that is dead already
	}
	conn.Close()
}

func (r Reaction) answer(w http.ResponseWriter, arrival *Arrival) {
	if bodyAllowed(r.StatusCode()) {
		r.head(w, len(r.body(arrival)))
		_, _ = w.Write(r.body(arrival)) // the sender may have gone
		return
	}
	r.head(w, 0)
}

// breakOff announces twice as much as it sends.
func (r Reaction) breakOff(w http.ResponseWriter, arrival *Arrival) {
	body := r.body(arrival)
	r.head(w, 2*len(body))
	_, _ = w.Write(body)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (r Reaction) drip(ctx context.Context, w http.ResponseWriter) {
	r.head(w, r.Bytes)
	flusher := http.NewResponseController(w)
	_ = flusher.Flush()
	for range r.Bytes {
		if !wait(ctx, r.Pause) {
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte{' '})
		_ = flusher.Flush()
	}
}

func (r Reaction) head(w http.ResponseWriter, length int) {
	header := w.Header()
	if r.RetryAfter != "" {
		header.Set("Retry-After", r.RetryAfter)
	}
	if r.Location != "" {
		header.Set("Location", r.Location)
	}
	if bodyAllowed(r.StatusCode()) {
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", strconv.Itoa(length))
	}
	w.WriteHeader(r.StatusCode())
}

// body tells a receiver that works from one that was told to fail.
func (r Reaction) body(arrival *Arrival) []byte {
	var shown any = struct {
		ID        string `json:"id"`
		Duplicate bool   `json:"duplicate"`
	}{arrival.ID, arrival.Duplicate}
	if !r.Accepts() {
		shown = struct {
			Title  string `json:"title"`
			Status int    `json:"status"`
			Detail string `json:"detail"`
		}{http.StatusText(r.StatusCode()), r.StatusCode(), "this receiver was told to answer so"}
	}
	body, _ := json.Marshal(shown) // strings, a number and a bool always have a JSON form
	return body
}

// bodyAllowed says whether a status has a body (RFC 9110 section 6.4.1).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}
