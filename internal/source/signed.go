package source

import (
	"crypto"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"strings"

	_ "crypto/sha1" //nolint:gosec // Twilio, Intercom and old SNS topics sign with it; as a keyed hash it holds
	_ "crypto/sha256"
	_ "crypto/sha512"
)

// encoding is how a signature is written.
type encoding string

const (
	inHex       encoding = "hex"
	inBase64    encoding = "base64"
	inBase64URL encoding = "base64url"
)

// decode reads a signature. Hexadecimal may be in capitals, base64 may lack its
// padding; line breaks, which the decoder would skip, are no part of either, and
// the bits that base64 leaves over must be zero: one signature, one text.
func (e encoding) decode(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	var sum []byte
	var err error
	switch e {
	case inHex:
		sum, err = hex.DecodeString(text)
	case inBase64:
		sum, err = base64.RawStdEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
	default:
		sum, err = base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
	}
	return sum, err == nil
}

// content gives the parts that are signed, one after another, if the body were
// this one.
type content func(body []byte) [][]byte

func bodyOnly(body []byte) [][]byte { return [][]byte{body} }

// after signs something and then the body.
func after(head string) content {
	return func(body []byte) [][]byte { return [][]byte{[]byte(head), body} }
}

// signed is a claim to be checked: the body was signed with one of the source's
// secrets, by a keyed or, where sum says so, another hash.
type signed struct {
	hash     crypto.Hash
	encoding encoding
	texts    []string // the signatures, as they are written
	content  content
	key      func(secret string) ([]byte, error)
	// sum replaces HMAC.
	sum func(hash crypto.Hash, key []byte, parts [][]byte) []byte
	// other are contents that a wrong setting would make, by what is wrong.
	other []alternative
}

// alternative is something else that may have been signed.
type alternative struct {
	reason  Reason
	what    string
	content content
}

// keyed is HMAC (RFC 2104).
func keyed(hash crypto.Hash, key []byte, parts [][]byte) []byte {
	mac := hmac.New(hash.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// maxSignatures bounds how many a request may bring.
const maxSignatures = 32

// match finds the secret that made one of the signatures. Comparisons take the
// same time wherever bytes differ.
func (c *call) match(s signed) (string, *refusal) {
	if s.key == nil {
		s.key = verbatim
	}
	if s.sum == nil {
		s.sum = keyed
	}
	if len(s.texts) > maxSignatures {
		return "", malformed(SignatureMalformed, "there are too many")
	}
	live := usable(c.secrets, RoleHandshake)
	if len(live) == 0 {
		return "", bad(NoSecret, "")
	}
	sums := s.decoded(s.encoding)
	var unusable error
	keys := 0
	for _, secret := range live {
		key, err := s.key(secret.Value)
		if err != nil {
			unusable = err
			continue
		}
		keys++
		if anyEqual(sums, s.sum(s.hash, key, s.content(c.Body))) {
			return secret.Name, nil
		}
	}
	if keys == 0 {
		return "", bad(SecretUnusable, unusable.Error())
	}
	return "", c.diagnose(s, live)
}

func (s signed) decoded(e encoding) [][]byte {
	var sums [][]byte
	for _, text := range s.texts {
		if sum, ok := e.decode(text); ok {
			sums = append(sums, sum)
		}
	}
	return sums
}

func anyEqual(sums [][]byte, want []byte) bool {
	equal := false
	for _, sum := range sums {
		if hmac.Equal(sum, want) {
			equal = true
		}
	}
	return equal
}

// prefixed takes a prefix off that a signature must have.
func prefixed(text, prefix, header string) (string, *refusal) {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return "", malformed(SignatureMalformed, header+" must begin with "+prefix)
	}
	return rest, nil
}

// overBody is the commonest rule: one header with a signature of the body alone.
func (c *call) overBody(header, prefix string, hash crypto.Hash, e encoding) (string, *refusal) {
	text, refused := c.header(header)
	if refused != nil {
		return "", refused
	}
	text, refused = prefixed(text, prefix, header)
	if refused != nil {
		return "", refused
	}
	return c.match(signed{hash: hash, encoding: e, texts: []string{text}, content: bodyOnly})
}

// hexKey reads a key that is shown in hexadecimal.
func hexKey(secret string) ([]byte, error) {
	key, err := hex.DecodeString(secret)
	switch {
	case secret == "":
		return nil, errSecretEmpty
	case err != nil:
		return nil, errSecretNotHex
	}
	return key, nil
}

// checkKey makes a check of secrets of how they are read.
func checkKey(read func(string) ([]byte, error)) func(string) error {
	return func(secret string) error {
		_, err := read(secret)
		return err
	}
}
