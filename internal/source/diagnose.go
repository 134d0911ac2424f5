package source

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// maxDiagnosed bounds the bodies whose failure is looked into at a public door:
// what a forged request can cost is a millisecond or two.
const maxDiagnosed = 16 << 10

// diagnose finds out why nothing matched, by trying what senders and the
// machinery in front of receivers are known to get wrong. It is no help to a
// forger: every answer but the last needs a signature that the secret made.
func (c *call) diagnose(s signed, live []Secret) *refusal {
	if len(c.Body) > maxDiagnosed && !c.options.Thorough {
		return bad(SignatureUndiagnosed, "")
	}
	given := s.decoded(s.encoding)
	var keys [][]byte
	for _, secret := range live {
		if key, err := s.key(secret.Value); err == nil {
			keys = append(keys, key)
		}
	}
	holds := func(hash crypto.Hash, sums [][]byte, content content, body []byte) bool {
		parts := content(body)
		return slices.ContainsFunc(keys, func(key []byte) bool { return anyEqual(sums, s.sum(hash, key, parts)) })
	}
	for _, e := range []encoding{inHex, inBase64, inBase64URL} {
		if holds(s.hash, s.decoded(e), s.content, c.Body) {
			return bad(SignatureEncoding, "it is "+string(e)+" and must be "+string(s.encoding))
		}
	}
	for _, a := range s.other {
		if holds(s.hash, given, a.content, c.Body) {
			return bad(a.reason, a.what)
		}
	}
	for _, hash := range []crypto.Hash{crypto.SHA1, crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		if hash != s.hash && holds(hash, given, s.content, c.Body) {
			return bad(SignatureAlgorithm, hash.String()+" in place of "+s.hash.String())
		}
	}
	if s.coversBody() {
		for what, original := range originals(c.Body) {
			if holds(s.hash, given, s.content, original) {
				return bad(BodyReencoded, what)
			}
		}
	}
	return s.diagnoseSecrets(c.Body, given, live)
}

// coversBody says whether the body is among what is signed.
func (s signed) coversBody() bool {
	probe := []byte("probe")
	return slices.ContainsFunc(s.content(probe), func(part []byte) bool { return bytes.Equal(part, probe) })
}

// diagnoseSecrets tries what else the secrets' texts may stand for.
func (s signed) diagnoseSecrets(body []byte, given [][]byte, live []Secret) *refusal {
	parts := s.content(body)
	for _, secret := range live {
		for reason, key := range otherKeys(secret.Value) {
			if anyEqual(given, s.sum(s.hash, key, parts)) {
				return bad(reason, "")
			}
		}
	}
	return bad(WrongSecret, s.shape(given))
}

// shape says what is wrong with signatures whatever the secret: what cannot be
// decoded, or is too short or too long.
func (s signed) shape(sums [][]byte) string {
	for _, sum := range sums {
		if len(sum) == s.hash.Size() {
			return ""
		}
	}
	if len(sums) == 0 {
		return "the signature is not " + string(s.encoding)
	}
	return fmt.Sprintf("the signature has %d bytes, %s makes %d", len(sums[0]), s.hash, s.hash.Size())
}

// otherKeys are what else a secret's text may stand for.
func otherKeys(secret string) func(yield func(Reason, []byte) bool) {
	return func(yield func(Reason, []byte) bool) {
		trimmed := strings.Trim(strings.TrimSpace(secret), "\"'`")
		if trimmed != secret && !yield(SecretHasSpace, []byte(trimmed)) {
			return
		}
		_, bare, found := strings.Cut(trimmed, "_")
		texts := []string{trimmed}
		if found {
			texts = append(texts, bare)
		}
		for _, text := range texts {
			if !yield(SecretOtherEncoding, []byte(text)) {
				return
			}
			for _, decode := range []func(string) ([]byte, error){
				hex.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
			} {
				if key, err := decode(strings.TrimRight(text, "=")); err == nil && len(key) > 0 && !yield(SecretOtherEncoding, key) {
					return
				}
			}
		}
		for _, encode := range []func([]byte) string{base64.StdEncoding.EncodeToString, hex.EncodeToString} {
			if !yield(SecretOtherEncoding, []byte(encode([]byte(trimmed)))) {
				return
			}
		}
	}
}

// otherHeader explains a missing header by the one that is there instead.
func (c *call) otherHeader(refused *refusal) *refusal {
	if refused.reason != HeaderMissing {
		return refused
	}
	for _, other := range providers {
		if other == c.provider || len(other.Headers) == 0 || strings.EqualFold(other.Headers[0], "Authorization") {
			continue
		}
		if header := other.Headers[0]; c.Header.has(header) && !c.provider.reads(header) {
			return refuse(MissingHeader, OtherHeader, refused.detail+" is not there; "+header+" is, which "+other.Title+" sends")
		}
	}
	return refused
}

// reads says whether a header is one of the provider's own.
func (p *Provider) reads(header string) bool {
	for _, own := range p.Headers {
		if strings.EqualFold(own, header) {
			return true
		}
	}
	return false
}
