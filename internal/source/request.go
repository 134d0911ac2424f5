package source

import (
	"net/netip"
	"strings"
)

// maxHeaderValue bounds a header that verification looks at, in bytes. The
// longest honest one, a JWT or a list of signatures, takes about a tenth.
const maxHeaderValue = 16 << 10

// A Request is what arrived, as it arrived.
type Request struct {
	Method string
	// URL is the absolute address that the provider was given, with the query
	// of this request. Some providers sign it: behind a proxy it is not what the
	// server sees.
	URL    string
	Header Header
	// Body is exactly what was sent, after a transfer or content coding was
	// undone. Verdicts share its memory.
	Body []byte
	// Remote is the sender's address, for sources that allow some only.
	Remote netip.Addr
}

// Header is the header fields in the order of their arrival. A field that is
// there twice stays twice.
type Header []Field

// Field is one line of a header.
type Field struct{ Name, Value string }

// Values are the values of every field of that name, whatever its case, without
// the white space around them, which is no part of a value (RFC 9110, 5.5).
func (h Header) Values(name string) []string {
	var values []string
	for _, field := range h {
		if strings.EqualFold(field.Name, name) {
			values = append(values, strings.Trim(field.Value, " \t"))
		}
	}
	return values
}

// Get is the first value of that name, or empty.
func (h Header) Get(name string) string {
	for _, field := range h {
		if strings.EqualFold(field.Name, name) {
			return strings.Trim(field.Value, " \t")
		}
	}
	return ""
}

// has says whether a field of that name has a value.
func (h Header) has(name string) bool { return h.Get(name) != "" }
