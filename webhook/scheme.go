package webhook

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// Scheme names how the signature header is written and what it covers.
type Scheme string

// The schemes a [Verifier] can be made for.
const (
	SchemeStandard Scheme = "standard" // Standard Webhooks 1.0.0, see Sign
	SchemeHex      Scheme = "hex"      // the fair-queue contract (F10), see SignHex
)

// Versions inside a signature list.
const (
	versionHMAC    = "v1"
	versionEd25519 = "v1a"
)

// maxSignatures bounds the work that one request can ask for, an ed25519 check
// per signature and key. Rotations need two or three.
const maxSignatures = 16

// A signature is one element of the signature header.
type signature struct {
	version string
	text    string // as sent
	sum     []byte // decoded; nil when text is not canonical in the scheme
}

// head returns what is signed before the body. The timestamp is the header's
// text, so that what is verified is exactly what was sent.
func (s Scheme) head(id, timestamp string) []byte {
	head := make([]byte, 0, len(id)+len(timestamp)+2)
	if s == SchemeStandard {
		head = append(append(head, id...), '.')
	}
	return append(append(head, timestamp...), '.')
}

// signatures reads the values of the signature header as one list. What is not
// of the form version and signature is left out, and so is nothing else: an
// unknown version must not hide a known one beside it.
func (s Scheme) signatures(values []string) (list []signature, tooMany bool) {
	separator, pair := func(r rune) bool { return r == ' ' || r == '\t' }, ","
	if s == SchemeHex {
		separator, pair = func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }, "="
	}
	for _, value := range values {
		for element := range strings.FieldsFuncSeq(value, separator) {
			if len(list) == maxSignatures {
				return nil, true
			}
			if version, text, found := strings.Cut(element, pair); found {
				list = append(list, signature{version: version, text: text, sum: s.decode(text)})
			}
		}
	}
	return list, false
}

func (s Scheme) decode(text string) []byte {
	var sum []byte
	var err error
	if s == SchemeHex {
		sum, err = hex.DecodeString(text)
	} else {
		sum, err = base64.StdEncoding.Strict().DecodeString(text)
	}
	if err != nil || len(sum) == 0 {
		return nil
	}
	return sum
}

// version returns the version of the signatures that k can check.
func (k *key) version() string {
	if k.kind == KindSymmetric {
		return versionHMAC
	}
	return versionEd25519
}

// canCheck says whether any signature is of k's version.
func (k *key) canCheck(list []signature) bool {
	return slices.ContainsFunc(list, func(s signature) bool { return s.version == k.version() })
}
