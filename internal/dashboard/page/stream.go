package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// Stream sends events (server-sent events, WHATWG HTML §9.2) until the visitor
// goes, the process stops or the stream is old enough for the session to be
// checked anew, which the browser's next connection does.
type Stream struct {
	r       *Request
	control *http.ResponseController
	begun   bool // the answer is a stream now, and no error page
}

const (
	streamTime = 10 * time.Minute
	writeTime  = 10 * time.Second
)

// StreamEvery calls send now and then, each time after the pause. It returns nil
// when the stream ends; an error of send's ends it too, and is returned if it
// is final and nothing was sent before.
func StreamEvery(r *Request, pause time.Duration, send func(context.Context, *Stream) error) error {
	control := http.NewResponseController(r.Writer)
	// The server's limit is for reading requests, and would end the connection.
	_ = control.SetReadDeadline(time.Time{})

	ctx, cancel := context.WithTimeout(r.Context(), streamTime)
	defer cancel()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	stream := &Stream{r: r, control: control}
	for {
		err := send(ctx, stream)
		switch {
		case err != nil && !stream.begun && isFinal(err):
			return err // there is nothing to follow
		case err != nil:
			stream.begin() // browsers come again only to what was a stream
			return nil
		}
		stream.begin()
		select {
		case <-ctx.Done():
			return nil
		case <-r.Ending():
			return nil
		case <-ticker.C:
		}
	}
}

// isFinal says whether it would be no better the next time.
func isFinal(err error) bool {
	problem, ok := AsProblem(err)
	return ok && problem.Status < http.StatusInternalServerError
}

// Part sends a component; the page's element with the same id is replaced by it.
func (s *Stream) Part(ctx context.Context, part templ.Component) error {
	text, err := Draw(ctx, part)
	if err != nil {
		return err
	}
	return s.send("part", text)
}

// Data sends a value for the page's chart with the id.
func (s *Stream) Data(id string, value any) error {
	encoded, err := json.Marshal(map[string]any{"id": id, "data": value})
	if err != nil {
		return err
	}
	return s.send("data", string(encoded))
}

// begin makes the answer a stream.
func (s *Stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	header := s.r.Writer.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // proxies that know it
	s.r.Writer.WriteHeader(http.StatusOK)
}

func (s *Stream) send(event, data string) error {
	s.begin()
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime))
	var b strings.Builder
	b.WriteString("event: " + event + "\n")
	for line := range strings.SplitSeq(lineEnds.Replace(data), "\n") {
		b.WriteString("data: " + line + "\n")
	}
	if _, err := fmt.Fprint(s.r.Writer, b.String()+"\n"); err != nil {
		return err
	}
	return s.control.Flush()
}

// lineEnds are what ends a line of a stream, made one.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
