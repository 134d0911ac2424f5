package ingest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"

	"github.com/malotehq/malote/internal/source"
)

// codingOf is the content coding of a body in lower case; empty: there is none.
func codingOf(header http.Header) string {
	coding := strings.ToLower(strings.TrimSpace(strings.Join(header.Values("Content-Encoding"), ",")))
	if coding == "identity" {
		return ""
	}
	return coding
}

// unpack undoes a coding. What comes out has the same bound as what went in, so
// that a bomb costs no more than a body of the largest size.
func (h *holding) unpack(coding string, packed []byte, limit int) ([]byte, source.Reason) {
	rest := bytes.NewReader(packed) // a ByteReader: nothing is read ahead of what is used
	var unpacked io.Reader
	var err error
	switch coding {
	case "gzip", "x-gzip": // RFC 9110 section 8.4.1.3: recipients take the old name too
		unpacked, err = gzip.NewReader(rest)
	case "deflate":
		unpacked, err = newInflater(packed, rest)
	default:
		return nil, CodingUnsupported
	}
	if err != nil {
		return nil, CodingBroken
	}
	content, reason := h.readAll(unpacked, limit, -1)
	switch {
	case reason == BodyIncomplete, reason == "" && rest.Len() > 0:
		return nil, CodingBroken
	default:
		return content, reason
	}
}

// newInflater reads zlib's format, which "deflate" means (RFC 9110 section
// 8.4.1.2), and the bare stream that many send under that name.
func newInflater(packed []byte, rest *bytes.Reader) (io.Reader, error) {
	if len(packed) >= 2 && packed[0]&0x0f == 8 && (uint(packed[0])<<8|uint(packed[1]))%31 == 0 {
		return zlib.NewReader(rest)
	}
	return flate.NewReader(rest), nil
}
