package sender

import (
	"net/http"
	"strings"
)

// ownHeaders is how many headers Malote itself can set.
const ownHeaders = 12

// What tells a consumer which source a provider's webhook came in by, and when.
const (
	sourceHeader   = "webhook-source"
	receivedHeader = "webhook-received-at" // RFC 3339
)

// headers collects the headers of one request. A name is taken once, in
// whatever case it is written: what is set later under it is left out.
type headers struct {
	header http.Header
	values []string // backs the header's values, in one allocation
}

func newHeaders(most int) *headers {
	return &headers{header: make(http.Header, most), values: make([]string, 0, most)}
}

// set adds a header unless its name or value is empty or cannot be sent, its
// name is reserved, or it is taken. Names keep the case they are written in,
// for receivers that care although they should not (RFC 9110 §5.1).
func (h *headers) set(name, value string) {
	if name == "" || value == "" || !isToken(name) || !isFieldValue(value) {
		return
	}
	lower := strings.ToLower(name)
	if reserved[lower] || h.has(lower) {
		return
	}
	if repeatable[lower] {
		name = lower
	}
	n := len(h.values)
	h.values = append(h.values, value)
	h.header[name] = h.values[n : n+1 : n+1]
}

func (h *headers) has(name string) bool {
	for taken := range h.header {
		if strings.EqualFold(taken, name) {
			return true
		}
	}
	return false
}

// repeatable headers make net/http take a POST without a body for one that may
// be sent again, if it finds them in their canonical case. In lower case they mean
// the same to the receiver.
var repeatable = map[string]bool{"idempotency-key": true, "x-idempotency-key": true}

// reserved headers belong to the connection or frame the message (RFC 9110
// §7.6.1, RFC 9112 §6): set by anyone but the transport they make a request that
// two parties on its way read differently.
var reserved = map[string]bool{
	"connection": true, "content-length": true, "expect": true, "host": true, "http2-settings": true,
	"keep-alive": true, "proxy-authenticate": true, "proxy-authorization": true, "proxy-connection": true,
	"te": true, "trailer": true, "transfer-encoding": true, "upgrade": true,
}

// isToken says whether a name is a token of RFC 9110 §5.6.2.
func isToken(name string) bool {
	for _, c := range []byte(name) {
		letterOrDigit := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letterOrDigit && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return true
}

// isFieldValue refuses control characters, which could end the header and begin
// another (RFC 9110 §5.5).
func isFieldValue(value string) bool {
	for _, c := range []byte(value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
