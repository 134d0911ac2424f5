package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// bodyTime is how long a body may take to arrive, whether or not anybody
	// reads it: net/http waits for what a handler leaves.
	bodyTime = 30 * time.Second

	// trustedLength is how much memory an announced length gets at once; more
	// is taken as the bytes really come.
	trustedLength = 1 << 20
)

// limitBodyTime sets the deadline of a request's body. It does not bind the
// handler: net/http takes it away when the body has been read to its end.
func limitBodyTime(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // tests have connections without
	}
}

// readBody reads at most limit bytes. What it returns belongs to the request
// alone and is never used again: a publisher may still hold it after a client
// has gone and the handler with it.
func readBody(r *http.Request, limit int) ([]byte, error) {
	if err := checkContent(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > int64(limit) {
		return nil, tooLarge(limit)
	}
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), trustedLength)) + bytes.MinRead)
	if _, err := body.ReadFrom(io.LimitReader(r.Body, int64(limit)+1)); err != nil {
		return nil, readProblem(err)
	}
	if body.Len() > limit {
		return nil, tooLarge(limit)
	}
	return body.Bytes(), nil
}

func readProblem(err error) error {
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return problem(RequestTimeout, "")
	}
	return problem(BodyIncomplete, "")
}

func tooLarge(limit int) error {
	return problem(BodyTooLarge, "The body is over the limit of %d bytes: send less, or a link to the data.", limit)
}

// checkContent takes JSON, and also what curl -d calls it unless told
// otherwise: there is nothing else that it could be.
func checkContent(header http.Header) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return problem(UnsupportedMediaType, "")
	}
	contentType := header.Get("Content-Type")
	if contentType == "" || contentType == "application/json" {
		return nil
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return problem(UnsupportedMediaType, "")
	}
	charset, given := parameters["charset"]
	isJSON := media == "application/json" || media == "application/x-www-form-urlencoded" || strings.HasSuffix(media, "+json")
	if !isJSON || given && !strings.EqualFold(charset, "utf-8") {
		return problem(UnsupportedMediaType, "")
	}
	return nil
}
