package source

import (
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
)

var twilio = &Provider{
	Name: "twilio", Title: "Twilio",
	Headers:   []string{"X-Twilio-Signature"},
	Signed:    "HMAC-SHA1 of the URL and the form's fields, sorted, base64, in X-Twilio-Signature; with JSON the URL has the body's hash in bodySHA256",
	Secret:    "the account's auth token",
	Dedupe:    "the hash of what is signed, the URL and the sorted fields: one call or message has several events, and one form several spellings",
	Type:      "none",
	Handshake: "none",
	Retries:   "a 2xx within 15 s",
	Gotcha:    "It signs the URL now with its port and now without: both are tried.",
	Methods:   []string{"GET"},
	verify:    verifyTwilio,
}

func verifyTwilio(c *call) (Verdict, *refusal) {
	text, refused := c.header("X-Twilio-Signature")
	if refused != nil {
		return Verdict{}, refused
	}
	query, refused := c.query()
	if refused != nil {
		return Verdict{}, refused
	}
	if c.URL == "" {
		return Verdict{}, malformed(URLMalformed, "Twilio signs it")
	}
	form, refused := c.twilioForm(query)
	if refused != nil {
		return Verdict{}, refused
	}
	secret, content, refused := c.matchTwilio(text, form)
	if refused != nil {
		return Verdict{}, refused
	}
	// Whatever else two requests differ in, it was not signed.
	item := Item{Dedupe: BodyHash(content)}
	for _, name := range []string{"CallSid", "MessageSid", "SmsSid"} {
		item.ID = orElse(item.ID, form.Get(name), query.Get(name), c.text(name))
	}
	return c.event(secret, item), nil
}

// twilioForm gives the fields that are signed. JSON must be vouched for by its
// hash in the URL, which is signed. Whatever else the body is, taking it for a
// form is safe: all of it becomes names and values.
func (c *call) twilioForm(query url.Values) (url.Values, *refusal) {
	kind, _, _ := strings.Cut(strings.ToLower(c.Header.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	hash := query.Get("bodySHA256")
	switch {
	case kind == "application/x-www-form-urlencoded", kind == "" && hash == "":
		form, err := url.ParseQuery(string(c.Body))
		if err != nil {
			return nil, malformed(BodyMalformed, "the form does not parse")
		}
		return form, nil
	case hash != "":
		sum := sha256.Sum256(c.Body)
		if !same(strings.ToLower(hash), hex.EncodeToString(sum[:])) {
			return nil, bad(BodyChanged, "bodySHA256 is that of another one")
		}
	case len(c.Body) > 0:
		return nil, bad(BodyNotCovered, "it is no form, and the URL has no bodySHA256")
	}
	return nil, nil
}

// matchTwilio tries both forms of the address in full: which one Twilio signed
// depends on the channel. It gives the secret and what was signed.
func (c *call) matchTwilio(text string, form url.Values) (string, []byte, *refusal) {
	fields := twilioFields(form)
	over := func(address string) content {
		return func([]byte) [][]byte { return [][]byte{[]byte(address), fields} }
	}
	var refused *refusal
	for _, address := range unique(c.URL, withPort(c.URL), withoutPort(c.URL)) {
		secret, no := c.match(signed{
			hash: crypto.SHA1, encoding: inBase64, texts: []string{text}, content: over(address), other: otherURLs(c.URL, over),
		})
		if no == nil {
			return secret, slices.Concat([]byte(address), fields), nil
		}
		if refused == nil {
			refused = no
		}
	}
	return "", nil, refused
}

// twilioFields writes names and values, sorted, one after another. A field that
// is there twice has each of its values once.
func twilioFields(form url.Values) []byte {
	var fields []byte
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, val := range unique(slices.Sorted(slices.Values(form[name]))...) {
			fields = append(append(fields, name...), val...)
		}
	}
	return fields
}

// unique keeps the first of equal texts.
func unique(texts ...string) []string {
	var kept []string
	for _, text := range texts {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}
