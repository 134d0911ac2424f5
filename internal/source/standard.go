package source

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"
)

// The senders of Standard Webhooks 1.0.0, and of what it was called before.
var (
	standardWebhooks = standardProvider("standard_webhooks", "Standard Webhooks", "webhook-")
	svix             = standardProvider("svix", "Svix", "svix-")
	clerk            = standardProvider("clerk", "Clerk", "svix-")
	resend           = standardProvider("resend", "Resend", "svix-")
)

const (
	standardSymmetric = "whsec_"
	standardPublic    = "whpk_"
)

func standardProvider(name, title, prefix string) *Provider {
	return &Provider{
		Name: name, Title: title,
		Headers:     []string{prefix + "signature", prefix + "id", prefix + "timestamp"},
		Signed:      "HMAC-SHA256 of “id.timestamp.body”, base64, as v1,… in a list between spaces; v1a,… is ed25519",
		Window:      5 * time.Minute,
		Secret:      "whsec_ and base64, which is decoded; or whpk_ and a public key",
		Dedupe:      "webhook-id (svix-id)",
		Type:        "type, else event_type",
		Handshake:   "none",
		Retries:     "a 2xx within 15 s",
		Gotcha:      "The secret is base64 behind its prefix. A list may hold signatures of several secrets.",
		verify:      verifyStandard,
		checkSecret: checkStandard,
	}
}

func verifyStandard(c *call) (Verdict, *refusal) {
	names := c.standardNames()
	values, refused := c.headers(names...)
	if refused != nil {
		return Verdict{}, refused
	}
	id, clock := values[0], values[1]
	if strings.Contains(id, ".") {
		return Verdict{}, malformed(SignatureMalformed, names[0]+" has a dot, which joins what is signed")
	}
	at, refused := seconds(names[1], clock)
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := c.matchStandard(id+"."+clock+".", values[2])
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(id, orElse(c.text("type"), c.text("event_type")))), nil
}

// standardNames are the headers of the spelling of which more is there.
func (c *call) standardNames() []string {
	spelling := func(prefix string) (names []string, there int) {
		for _, name := range []string{"id", "timestamp", "signature"} {
			names = append(names, prefix+name)
			if c.Header.has(prefix + name) {
				there++
			}
		}
		return names, there
	}
	standard, most := spelling("webhook-")
	old, there := spelling("svix-")
	if there > most {
		return old
	}
	return standard
}

// matchStandard checks the signatures of each version with the secrets that are
// for it.
func (c *call) matchStandard(head, listed string) (string, *refusal) {
	versions := make(map[string][]string)
	for entry := range strings.FieldsSeq(listed) {
		if version, text, found := strings.Cut(entry, ","); found {
			versions[version] = append(versions[version], text)
		}
	}
	if len(versions) == 0 {
		return "", malformed(SignatureMalformed, "no entry of the list has a version, as in v1,…")
	}
	live := usable(c.secrets, RoleHandshake)
	if len(live) == 0 {
		return "", bad(NoSecret, "")
	}
	symmetric, public := *c, *c
	symmetric.secrets, public.secrets = nil, nil
	for _, s := range live {
		if strings.HasPrefix(s.Value, standardPublic) {
			public.secrets = append(public.secrets, s)
		} else {
			symmetric.secrets = append(symmetric.secrets, s)
		}
	}
	refused := bad(SignatureVersion, "v1 is for whsec_ secrets, v1a for whpk_ keys")
	if texts := versions["v1"]; len(texts) > 0 && len(symmetric.secrets) > 0 {
		var secret string
		secret, refused = symmetric.match(signed{
			hash: crypto.SHA256, encoding: inBase64, texts: texts, content: after(head), key: readStandard,
		})
		if refused == nil {
			return secret, nil
		}
	}
	if texts := versions["v1a"]; len(texts) > 0 && len(public.secrets) > 0 {
		return public.matchStandardPublic(head, texts)
	}
	return "", refused
}

// maxPublicSignatures bounds what a request can cost.
const maxPublicSignatures = 4

func (c *call) matchStandardPublic(head string, texts []string) (string, *refusal) {
	return matchPublic(c, readStandardPublic, func(key ed25519.PublicKey, body []byte) bool {
		message := slices.Concat([]byte(head), body)
		return slices.ContainsFunc(texts[:min(len(texts), maxPublicSignatures)], func(text string) bool {
			signature, ok := inBase64.decode(text)
			return ok && len(signature) == ed25519.SignatureSize && ed25519.Verify(key, message, signature)
		})
	})
}

// readStandard reads a secret as it is pasted: also with the version of a
// signature in front, without its prefix or its padding.
func readStandard(secret string) ([]byte, error) {
	secret = strings.TrimPrefix(strings.TrimSpace(secret), "v1,")
	secret = strings.TrimPrefix(secret, standardSymmetric)
	if secret == "" {
		return nil, errSecretEmpty
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := encoding.DecodeString(strings.TrimRight(secret, "=")); err == nil && len(key) > 0 {
			return key, nil
		}
	}
	return nil, errSecretNotBase64
}

func readStandardPublic(secret string) (ed25519.PublicKey, error) {
	key, ok := inBase64.decode(strings.TrimPrefix(secret, standardPublic))
	if !ok || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("whpk_ must be followed by base64 of 32 bytes")
	}
	return key, nil
}

// minStandard is 128 bits, the least that a shared key must have.
const minStandard = 16

func checkStandard(secret string) error {
	if strings.HasPrefix(secret, standardPublic) {
		_, err := readStandardPublic(secret)
		return err
	}
	key, err := readStandard(secret)
	if err == nil && len(key) < minStandard {
		return errors.New("it is shorter than 16 bytes, so that it can be guessed")
	}
	return err
}
