package source

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// same compares texts in a time that depends on neither.
func same(a, b string) bool {
	left, right := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(left[:], right[:]) == 1
}

// token finds the secret that a request brought as it is. not is the role whose
// secrets do not count.
func (c *call) token(given string, not Role) (string, *refusal) {
	live := usable(c.secrets, not)
	if len(live) == 0 {
		return "", bad(NoSecret, "")
	}
	matched := -1
	for i, secret := range live {
		if same(secret.Value, given) && matched < 0 {
			matched = i
		}
	}
	if matched >= 0 {
		return live[matched].Name, nil
	}
	for _, secret := range live {
		if same(strings.TrimSpace(secret.Value), given) {
			return "", bad(SecretHasSpace, "")
		}
	}
	return "", bad(WrongToken, "")
}

// staticToken is the rule of a header that holds the secret itself.
func (c *call) staticToken(header string) (string, *refusal) {
	given, refused := c.header(header)
	if refused != nil {
		return "", refused
	}
	return c.token(given, RoleHandshake)
}

// basic is HTTP's basic authentication (RFC 7617) with a secret user:password.
// The password may hold colons.
func (c *call) basic() (string, *refusal) {
	given, refused := c.credentials("Basic")
	if refused != nil {
		return "", refused
	}
	pair, err := base64.StdEncoding.DecodeString(given)
	if err != nil {
		return "", malformed(SignatureMalformed, "Authorization is not base64")
	}
	return c.token(string(pair), RoleHandshake)
}

// credentials are what follows a scheme, whatever its case (RFC 9110, 11.1).
func (c *call) credentials(scheme string) (string, *refusal) {
	header, refused := c.header("Authorization")
	if refused != nil {
		return "", refused
	}
	given, rest, found := strings.Cut(header, " ")
	if !found || !strings.EqualFold(given, scheme) {
		return "", malformed(SignatureMalformed, "Authorization must begin with "+scheme)
	}
	return strings.TrimLeft(rest, " "), nil
}
