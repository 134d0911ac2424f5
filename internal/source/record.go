package source

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Record is one recorded request with all that it takes to judge it: the
// format of malote verify --jsonl.
type Record struct {
	Provider string
	Request  Request
	Secrets  []Secret
	Options  Options
	// Now is when it arrived; zero when that was not recorded, and then no
	// window is held to.
	Now time.Time
	// Material is what would be fetched: a certificate in PEM or a key.
	Material []byte
}

// recordJSON is the format's members, but for headers and secrets, whose form
// varies.
type recordJSON struct {
	Provider     string          `json:"provider"`
	Method       string          `json:"method"`
	URL          string          `json:"url"`
	Secret       json.RawMessage `json:"secret"`
	Secrets      []string        `json:"secrets"`
	WebhookID    string          `json:"webhook_id"`
	Headers      json.RawMessage `json:"headers"`
	HeadersList  json.RawMessage `json:"headers_list"`
	Body         *string         `json:"body_b64"`
	NowUnix      *int64          `json:"now_unix"`
	ToleranceSec *float64        `json:"tolerance_s"`
	Certificate  string          `json:"cert_pem"`
	Scheme       *schemeJSON     `json:"scheme"`
}

// schemeJSON is a generic source's rule in short.
type schemeJSON struct {
	Header          string `json:"header"`
	Algorithm       string `json:"alg"`
	Encoding        string `json:"enc"`
	Prefix          string `json:"prefix"`
	Content         string `json:"content"`
	TimestampHeader string `json:"timestamp_header"`
}

// ParseRecord reads one record. Secrets are named after their place: secret 1.
func ParseRecord(text []byte) (Record, error) {
	var in recordJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return Record{}, fmt.Errorf("reading the record: %w", err)
	}
	r := Record{
		Provider: in.Provider,
		Request:  Request{Method: orElse(in.Method, "POST"), URL: in.URL},
		Material: []byte(in.Certificate),
	}
	var err error
	if r.Request.Header, err = readHeaders(in.Headers, in.HeadersList); err != nil {
		return Record{}, err
	}
	if in.Body != nil {
		if r.Request.Body, err = base64.StdEncoding.DecodeString(*in.Body); err != nil {
			return Record{}, errors.New("body_b64 is not base64")
		}
	}
	if r.Secrets, err = readSecrets(in); err != nil {
		return Record{}, err
	}
	if in.NowUnix != nil {
		r.Now = time.Unix(*in.NowUnix, 0)
	}
	if in.ToleranceSec != nil {
		r.Options.Window = NoWindow
		if *in.ToleranceSec > 0 {
			r.Options.Window = time.Duration(*in.ToleranceSec * float64(time.Second))
		}
	}
	if s := in.Scheme; s != nil {
		r.Options.Generic = &Generic{
			Header: s.Header, Algorithm: s.Algorithm, Encoding: s.Encoding, Prefix: s.Prefix,
			Content: s.Content, TimestampHeader: s.TimestampHeader,
		}
	}
	r.Options.Thorough = true
	return r, nil
}

// readSecrets takes a text, or several, or an object as its own text: a JSON
// web key.
func readSecrets(in recordJSON) ([]Secret, error) {
	texts := in.Secrets
	switch {
	case len(in.Secret) == 0 || in.Secret[0] == 'n':
	case in.Secret[0] == '{':
		texts = append(texts, string(in.Secret))
	case in.Secret[0] == '[':
		var list []string
		if err := json.Unmarshal(in.Secret, &list); err != nil {
			return nil, errors.New("secret must hold texts")
		}
		texts = append(texts, list...)
	default:
		var text string
		if err := json.Unmarshal(in.Secret, &text); err != nil {
			return nil, errors.New("secret must be text")
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 && in.WebhookID != "" {
		texts = append(texts, in.WebhookID)
	}
	secrets := make([]Secret, len(texts))
	for i, text := range texts {
		secrets[i] = Secret{Name: fmt.Sprintf("secret %d", i+1), Value: text}
	}
	return secrets, nil
}

var errHeaders = errors.New(`headers must be {"Name": "value"}, or headers_list [["Name", "value"], …]`)

// readHeaders keeps the order, and what is there twice.
func readHeaders(object, listed json.RawMessage) (Header, error) {
	var header Header
	add := func(name string, of value) bool {
		text, ok := of.text()
		header = append(header, Field{name, text})
		return ok
	}
	fine := true
	fields := func(v value) {
		v.members(func(key []byte, of value) bool {
			name, ok := unquote(key)
			if of.is('[') {
				of.each(func(e value) bool { fine = fine && ok && add(name, e); return fine })
				return fine
			}
			fine = fine && ok && add(name, of)
			return fine
		})
	}
	for _, part := range []json.RawMessage{object, listed} {
		document := value{part}
		switch {
		case len(part) == 0 || document.is('n'):
		case document.is('{'):
			fields(document)
		case document.is('['):
			document.each(func(e value) bool {
				fine = fine && addListed(e, fields, add)
				return fine
			})
		default:
			fine = false
		}
	}
	if !fine {
		return nil, errHeaders
	}
	return header, nil
}

// addListed reads one entry of a list: a pair, or an object with name and value,
// or one whose members are headers.
func addListed(e value, fields func(value), add func(string, value) bool) bool {
	if e.is('{') {
		of, err := e.member("value")
		if err != nil {
			fields(e)
			return true
		}
		return add(e.textAt("name"), of)
	}
	pair, err := e.elements()
	if err != nil || len(pair) != 2 {
		return false
	}
	name, ok := pair[0].text()
	return ok && add(name, pair[1])
}
