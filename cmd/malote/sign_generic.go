package main

import (
	"cmp"
	"crypto"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

var genericHashes = map[string]crypto.Hash{
	"": crypto.SHA256, "sha1": crypto.SHA1, "sha256": crypto.SHA256, "sha384": crypto.SHA384, "sha512": crypto.SHA512,
}

var genericEncodings = map[string]func([]byte) string{
	"": hex.EncodeToString, "hex": hex.EncodeToString, "base64": base64Text, "base64url": base64.RawURLEncoding.EncodeToString,
}

var genericKeys = map[string]keyOf{"": verbatim, "text": verbatim, "hex": hexKey, "base64": base64Key}

func base64Key(secret string) ([]byte, error) {
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := encoding.DecodeString(strings.TrimRight(secret, "=")); err == nil {
			return key, nil
		}
	}
	return nil, &usageError{"the secret must be base64"}
}

// signGeneric signs by a rule of the user's own.
func (s *sample) signGeneric(text []byte) error {
	rule, err := readGenericRule(text)
	if err != nil {
		return err
	}
	if s.Secret == "" && rule.Auth != "address" {
		return errNoTestSecret
	}
	s.add("Content-Type", "application/json")
	s.setBody(map[string]any{"id": s.ID, "type": "malote.test"})
	for _, located := range [][2]string{{rule.ID, s.ID}, {rule.Type, "malote.test"}} {
		if name, isHeader := strings.CutPrefix(located[0], "header:"); isHeader {
			s.add(name, located[1])
		}
	}
	switch rule.Auth {
	case "header_token":
		s.add(rule.Header, rule.Prefix+s.Secret)
	case "bearer":
		s.add("Authorization", "Bearer "+s.Secret)
	case "basic":
		return basic(s)
	case "query_token":
		s.Query = "?" + url.Values{rule.Parameter: {s.Secret}}.Encode()
	case "address":
	default:
		return s.signByTemplate(rule)
	}
	return nil
}

func (s *sample) signByTemplate(rule genericRule) error {
	key, err := genericKeys[rule.SecretEncoding](s.Secret)
	if err != nil {
		return err
	}
	now := unixSeconds(s)
	if rule.TimestampFormat == "rfc3339" {
		now = s.At.UTC().Format(time.RFC3339)
	}
	if rule.TimestampHeader != "" {
		s.add(rule.TimestampHeader, now)
	}
	signed := s.fill(cmp.Or(rule.Content, "{body}"), now)
	s.add(rule.Header, rule.Prefix+genericEncodings[rule.Encoding](mac(genericHashes[rule.Algorithm], key, []byte(signed))))
	return nil
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// fill puts the request's parts into a template.
func (s *sample) fill(template, now string) string {
	return placeholder.ReplaceAllStringFunc(template, func(name string) string {
		name = strings.Trim(name, "{}")
		if header, found := strings.CutPrefix(name, "header:"); found {
			return s.header(header)
		}
		return map[string]string{
			"body": string(s.Body), "timestamp": now, "method": http.MethodPost, "url": s.URL, "id": s.ID,
		}[name]
	})
}

func (s *sample) header(name string) string {
	for _, field := range s.Header {
		if strings.EqualFold(field[0], name) {
			return field[1]
		}
	}
	return ""
}
