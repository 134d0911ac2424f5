package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ConfigError says what is wrong with one setting of a generic source.
type ConfigError struct {
	Field   string // as the API names it
	Problem string // and what to do
}

// Error is one line for whoever made the setting.
func (e *ConfigError) Error() string { return e.Field + ": " + e.Problem }

// Validate says all that is wrong with the rule: joined [*ConfigError] values.
func (g *Generic) Validate() error {
	var wrong []error
	complain := func(field, format string, arguments ...any) {
		wrong = append(wrong, &ConfigError{field, fmt.Sprintf(format, arguments...)})
	}
	if g.Auth != "" && !slices.Contains(Authentications, g.Auth) {
		complain("auth", "%q is not known: use one of %s", g.Auth, commas(Authentications))
	}
	if g.Auth == AuthAddress && len(g.Addresses) == 0 {
		complain("addresses", "name those that may send: there is nothing else to know the sender by")
	}
	for _, prefix := range g.Addresses {
		if !prefix.IsValid() {
			complain("addresses", "an entry is no CIDR range")
		}
	}
	if g.Auth == AuthQuery && g.Parameter == "" {
		complain("parameter", "name the query's parameter with the token")
	}
	switch g.Auth {
	case AuthHMAC, "", AuthHeader:
		if !isHeaderName(g.Header) {
			complain("header", "name the header with the signature or token")
		}
	}
	for _, located := range []struct {
		field string
		at    Locator
	}{{"id", g.ID}, {"type", g.Type}} {
		if err := located.at.validate(); err != nil {
			complain(located.field, "%s", err)
		}
	}
	if g.Auth == AuthHMAC || g.Auth == "" {
		g.validateHMAC(complain)
	}
	return errors.Join(wrong...)
}

func (g *Generic) validateHMAC(complain func(field, format string, arguments ...any)) {
	if _, known := algorithms[g.Algorithm]; !known {
		complain("algorithm", "%q is not known: use sha256, sha384, sha512 or, if there is no other, sha1", g.Algorithm)
	}
	if _, known := encodings[g.Encoding]; !known {
		complain("encoding", "%q is not known: use hex, base64 or base64url", g.Encoding)
	}
	if _, known := secretEncodings[g.SecretEncoding]; !known {
		complain("secret_encoding", "%q is not known: use text, hex or base64", g.SecretEncoding)
	}
	if !slices.Contains([]string{"", "unix", "rfc3339"}, g.TimestampFormat) {
		complain("timestamp_format", "%q is not known: use unix or rfc3339", g.TimestampFormat)
	}
	if g.TimestampHeader != "" && !isHeaderName(g.TimestampHeader) {
		complain("timestamp_header", "this is no header's name")
	}
	if g.Tolerance < 0 {
		complain("tolerance", "it must not be negative")
	}
	parts, err := splitTemplate(g.template())
	switch {
	case err != nil:
		complain("content", "%s", err)
		return
	case !has(parts, "body"):
		complain("content", "{body} must be in it: what is not signed can be changed by anyone")
	}
	switch {
	case has(parts, "timestamp") && g.TimestampHeader == "":
		complain("timestamp_header", "name the header that {timestamp} is in")
	case g.TimestampHeader != "" && !has(parts, "timestamp") && !has(parts, "header:"+g.TimestampHeader):
		complain("content", "{timestamp} must be in it: a time that is not signed says nothing")
	case g.Tolerance > 0 && g.TimestampHeader == "":
		complain("tolerance", "it needs timestamp_header")
	}
	if has(parts, "id") && !g.ID.isHeader() {
		complain("id", "{id} is signed: say which header it is in, as header:Name")
	}
}

func commas[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}

// isHeaderName: letters, digits and what else a token may hold (RFC 9110, 5.6.2).
func isHeaderName(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsFunc(name, func(r rune) bool {
		alphanumeric := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
