package source

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// call is one verification under way.
type call struct {
	Request
	provider *Provider
	secrets  []Secret
	options  Options
	now      time.Time

	document  value // the body as JSON, once it was asked for
	parsed    bool
	parsedErr error
}

// header is the one value of a header that must be there.
func (c *call) header(name string) (string, *refusal) {
	values := c.Header.Values(name)
	switch {
	case len(values) == 0 || len(values) == 1 && values[0] == "":
		return "", missing(name)
	case len(values) > 1:
		return "", malformed(HeaderTwice, name)
	case len(values[0]) > maxHeaderValue:
		return "", malformed(HeaderTooLong, name)
	}
	return values[0], nil
}

// headers are several that must all be there. What is missing is told before
// what cannot be read.
func (c *call) headers(names ...string) ([]string, *refusal) {
	values := make([]string, len(names))
	var unreadable *refusal
	for i, name := range names {
		value, refused := c.header(name)
		switch {
		case refused == nil:
			values[i] = value
		case refused.result == MissingHeader:
			return nil, refused
		default:
			unreadable = refused
		}
	}
	return values, unreadable
}

// json is the body as JSON.
func (c *call) json() (value, *refusal) {
	if !c.parsed {
		c.document, c.parsedErr = parse(c.Body)
		c.parsed = true
	}
	if c.parsedErr != nil {
		return value{}, malformed(BodyMalformed, c.parsedErr.Error())
	}
	return c.document, nil
}

// text is a member of the body as text, empty when it is not there. It is for
// identifiers and types, never for what is verified.
func (c *call) text(path ...string) string {
	document, refused := c.json()
	if refused != nil {
		return ""
	}
	return document.textAt(path...)
}

// query is the URL's.
func (c *call) query() (url.Values, *refusal) {
	address, err := url.Parse(c.URL)
	if err != nil {
		return nil, malformed(URLMalformed, "it does not parse")
	}
	values, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		return nil, malformed(URLMalformed, "its query does not parse")
	}
	return values, nil
}

// event is the verdict of a request that is one event.
func (c *call) event(secret string, item Item) Verdict {
	item.Body = c.Body
	return batch(secret, "", "", []Item{item})
}

// batch is the verdict of verified items. An envelope without an identifier and
// a type has those of its first item.
func batch(secret, id, kind string, items []Item) Verdict {
	for i := range items {
		items[i].ID, items[i].Type = tidy(items[i].ID), tidy(items[i].Type)
		items[i].Dedupe = tidyKey(items[i].Dedupe)
	}
	v := Verdict{Result: OK, Reason: Verified, Secret: secret, ID: tidy(id), Type: tidy(kind), Items: items}
	if id == "" {
		v.ID = items[0].ID
	}
	if kind == "" {
		v.Type = items[0].Type
	}
	return v
}

// identified is an event that the provider gives an identifier, which a
// repetition bears too. Without one the body's hash stands for it.
func (c *call) identified(id, kind string) Item {
	return Item{ID: id, Type: kind, Dedupe: orElse(id, BodyHash(c.Body))}
}

// BodyHash is the key of an event that has nothing else to be known by.
func BodyHash(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// maxName bounds identifiers and types, in bytes: longer ones fit no index.
const maxName = 255

// tidy drops what nobody could use as an identifier or type.
func tidy(text string) string {
	if len(text) > maxName || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return ""
	}
	return text
}

// tidyKey keeps keys apart, whatever is in them.
func tidyKey(key string) string {
	if key != "" && tidy(key) == "" {
		return BodyHash([]byte(key))
	}
	return key
}

// orElse is the first text that is not empty.
func orElse(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// joined puts colons between parts, as far as there are any; it is empty if the
// first one is.
func joined(parts ...string) string {
	if parts[0] == "" {
		return ""
	}
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, ":")
}
