package webhook

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	// maxDiagnosedBody bounds what a forged request can cost: finding the cause
	// encodes and hashes a body about twenty times, a few milliseconds at most.
	maxDiagnosedBody = 16 << 10
	// maxDiagnosedSignatures likewise; ed25519 takes some 50 µs a signature.
	maxDiagnosedSignatures = 3
)

// diagnose finds out why nothing matched, by trying what senders and the
// machinery in front of receivers are known to get wrong. What it tells is no
// help to a forger: every answer but the last needs a signature that the secret
// made.
func (v *Verifier) diagnose(e envelope, body []byte) error {
	failed := &VerifyError{Reason: ReasonBadSignature}
	usable := func(s Secret) bool { return s.key().canCheck(e.list) }
	if !slices.ContainsFunc(v.secrets, usable) {
		failed.Diagnosis = DiagnosisVersion
		return failed
	}
	if len(body) > maxDiagnosedBody {
		return failed
	}
	list := e.list[:min(len(e.list), maxDiagnosedSignatures)]
	others := otherEncodings(list)
	encoding := func(s Secret) bool { return s.key().matches(e.head, body, others) }
	undecoded := func(s Secret) bool { return s.undecodedMatches(e.head, body, list) }
	switch {
	case slices.ContainsFunc(v.secrets, encoding):
		failed.Diagnosis = DiagnosisSignatureEncoding
	case slices.ContainsFunc(v.secrets, undecoded):
		failed.Diagnosis = DiagnosisSecretNotDecoded
	default:
		failed.Diagnosis, failed.Detail = v.diagnoseBody(e.head, body, list)
	}
	return failed
}

// diagnoseBody says whether, and how, the body was re-encoded after signing.
func (v *Verifier) diagnoseBody(head, body []byte, list []signature) (Diagnosis, string) {
	for what, original := range originals(body) {
		if slices.ContainsFunc(v.secrets, func(s Secret) bool { return s.key().matches(head, original, list) }) {
			return DiagnosisBodyReencoded, what
		}
	}
	return DiagnosisWrongSecret, ""
}

// otherEncodings reads each signature in every way that is not the scheme's.
func otherEncodings(list []signature) []signature {
	var read []signature
	for _, s := range list {
		text := strings.TrimRight(s.text, "=")
		for _, decode := range []func(string) ([]byte, error){
			hex.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
		} {
			if sum, err := decode(text); err == nil {
				read = append(read, signature{version: s.version, sum: sum})
			}
		}
	}
	return read
}

// undecodedMatches tries the secret's text, with and without its prefix, as key.
func (s Secret) undecodedMatches(head, body []byte, list []signature) bool {
	if s.key().kind != KindSymmetric {
		return false
	}
	text := s.Reveal()
	for _, raw := range []string{text, strings.TrimPrefix(text, prefixSymmetric)} {
		undecoded := key{kind: KindSymmetric, raw: []byte(raw)}
		if undecoded.matches(head, body, list) {
			return true
		}
	}
	return false
}
