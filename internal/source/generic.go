package source

import (
	"crypto"
	"net/netip"
	"strings"
	"time"
)

var generic = &Provider{
	Name: "generic", Title: "Any other sender",
	Signed:    "as configured: HMAC over a template; or a token in a header, a bearer token, basic authentication, a token in the query, or a list of addresses",
	signsTime: true,
	Secret:    "the shared key, token, or user:password",
	Dedupe:    "as configured: a header or a path in the JSON; else the body's hash",
	Type:      "as configured: a header or a path in the JSON",
	Handshake: "none",
	Retries:   "any 2xx",
	Gotcha:    "Tokens and addresses say who sends, and nothing about the body.",
	Methods:   []string{"GET", "PUT"},
	verify:    verifyGeneric,
}

// Authentication is how the generic source knows its sender.
type Authentication string

// The ways of authentication.
const (
	AuthHMAC    Authentication = "hmac"         // a signature in a header
	AuthHeader  Authentication = "header_token" // the secret itself in a header
	AuthBearer  Authentication = "bearer"       // Authorization: Bearer and the secret
	AuthBasic   Authentication = "basic"        // user:password
	AuthQuery   Authentication = "query_token"  // the secret in the URL's query
	AuthAddress Authentication = "address"      // the sender's address alone
)

// Authentications lists every way.
var Authentications = []Authentication{AuthHMAC, AuthHeader, AuthBearer, AuthBasic, AuthQuery, AuthAddress}

// Generic is the rule of a generic source. Its zero values are defaults, as far
// as there can be one; Validate says what is wrong.
type Generic struct {
	Auth Authentication // default: hmac
	// Addresses are those that may send; none: all. They come before the rest.
	Addresses []netip.Prefix

	// Header holds the signature, or the token.
	Header string
	// Prefix must come before the signature, as in sha256=.
	Prefix string
	// Separator parts several signatures of which one must hold; empty: one.
	Separator string
	// Encoding is hex (the default), base64 or base64url.
	Encoding string
	// Algorithm is sha256 (the default), sha1, sha384 or sha512.
	Algorithm string
	// SecretEncoding is text (the default), hex or base64.
	SecretEncoding string
	// Content is what is signed: text with {body}, {timestamp}, {method}, {url},
	// {id} and {header:Name} in it. Default: {body}.
	Content string

	// TimestampHeader holds the signed time: {timestamp}.
	TimestampHeader string
	// TimestampFormat is unix (the default: seconds, or milliseconds when they
	// are too many) or rfc3339.
	TimestampFormat string
	// Tolerance is how far it may be off in either direction; default 5 min.
	Tolerance time.Duration

	// Parameter is the query's parameter with the token.
	Parameter string

	// ID and Type are where to find them.
	ID, Type Locator
}

const defaultTolerance = 5 * time.Minute

var algorithms = map[string]crypto.Hash{
	"": crypto.SHA256, "sha1": crypto.SHA1, "sha256": crypto.SHA256, "sha384": crypto.SHA384, "sha512": crypto.SHA512,
}

var encodings = map[string]encoding{"": inHex, "hex": inHex, "base64": inBase64, "base64url": inBase64URL}

var secretEncodings = map[string]func(string) ([]byte, error){
	"": verbatim, "text": verbatim, "hex": hexKey, "base64": base64Key,
}

func base64Key(secret string) ([]byte, error) {
	for _, e := range []encoding{inBase64, inBase64URL} {
		if key, ok := e.decode(secret); ok && len(key) > 0 {
			return key, nil
		}
	}
	return nil, errSecretNotBase64
}

func verifyGeneric(c *call) (Verdict, *refusal) {
	rule := c.options.Generic
	if rule == nil {
		return Verdict{}, malformed(NotConfigured, "a generic source needs its rule")
	}
	if err := rule.Validate(); err != nil {
		return Verdict{}, malformed(NotConfigured, err.Error())
	}
	if !rule.allows(c.Remote) {
		return Verdict{}, bad(AddressNotAllowed, "")
	}
	secret, refused := c.authenticate(rule)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(rule.ID.Find(c.Request), rule.Type.Find(c.Request))), nil
}

func (c *call) authenticate(rule *Generic) (string, *refusal) {
	switch rule.Auth {
	case AuthHeader:
		return c.prefixedToken(rule)
	case AuthBearer:
		given, refused := c.credentials("Bearer")
		if refused != nil {
			return "", refused
		}
		return c.token(given, RoleHandshake)
	case AuthBasic:
		return c.basic()
	case AuthQuery:
		return c.queryToken(rule.Parameter)
	case AuthAddress:
		return "", nil
	default:
		return c.genericHMAC(rule)
	}
}

func (c *call) prefixedToken(rule *Generic) (string, *refusal) {
	given, refused := c.header(rule.Header)
	if refused != nil {
		return "", refused
	}
	if given, refused = prefixed(given, rule.Prefix, rule.Header); refused != nil {
		return "", refused
	}
	return c.token(given, RoleHandshake)
}

func (c *call) queryToken(parameter string) (string, *refusal) {
	query, refused := c.query()
	if refused != nil {
		return "", refused
	}
	switch values := query[parameter]; {
	case len(values) == 0 || values[0] == "":
		return "", missing(parameter + " in the query")
	case len(values) > 1:
		return "", malformed(HeaderTwice, parameter+" in the query")
	default:
		return c.token(values[0], RoleHandshake)
	}
}

// allows says whether an address may send. An unknown one may not, if some only
// may.
func (g *Generic) allows(address netip.Addr) bool {
	if len(g.Addresses) == 0 {
		return true
	}
	address = address.Unmap().WithZone("")
	for _, prefix := range g.Addresses {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

func (c *call) genericHMAC(rule *Generic) (string, *refusal) {
	text, refused := c.header(rule.Header)
	if refused != nil {
		return "", refused
	}
	texts := []string{text}
	if rule.Separator != "" {
		texts = strings.Split(text, rule.Separator)
	}
	for i := range texts {
		if texts[i], refused = prefixed(strings.TrimSpace(texts[i]), rule.Prefix, rule.Header); refused != nil {
			return "", refused
		}
	}
	clock, at, refused := c.genericTime(rule)
	if refused != nil {
		return "", refused
	}
	template, refused := c.fill(rule, clock)
	if refused != nil {
		return "", refused
	}
	secret, refused := c.match(signed{
		hash: algorithms[rule.Algorithm], encoding: encodings[rule.Encoding], texts: texts,
		content: template, key: secretEncodings[rule.SecretEncoding],
		other: []alternative{{BodyNotCovered, "the body alone was signed", bodyOnly}},
	})
	if refused != nil || rule.TimestampHeader == "" {
		return secret, refused
	}
	if c.options.Window == 0 {
		c.options.Window = orDefault(rule.Tolerance, defaultTolerance)
	}
	return secret, c.inTime(at)
}

// genericTime reads the signed time, if there is one.
func (c *call) genericTime(rule *Generic) (string, time.Time, *refusal) {
	if rule.TimestampHeader == "" {
		return "", time.Time{}, nil
	}
	clock, refused := c.header(rule.TimestampHeader)
	if refused != nil {
		return "", time.Time{}, refused
	}
	if rule.TimestampFormat == "rfc3339" {
		at, refused := rfc3339(rule.TimestampHeader, clock)
		return clock, at, refused
	}
	at, refused := seconds(rule.TimestampHeader, clock)
	return clock, at, refused
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
