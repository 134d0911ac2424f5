package webhook

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
)

// The lengths a symmetric secret may have, in bytes after decoding.
const (
	MinSecretBytes        = 24 // S05
	MaxSecretBytes        = 64 // S05: HMAC-SHA256 would only hash a longer key down to 32
	MinForeignSecretBytes = 16 // 128 bits, what an HMAC key needs at least
)

// ParseSecret reads a secret as people paste it: whsec_ and standard base64,
// and also without the prefix, without padding, in quotes, with white space
// around it, with a doubled prefix, or with the "v1," or "v1a," of the
// signature header in front. After a prefix base64 may be URL-safe. ed25519
// keys are whsk_ (seed, or seed and public half) and whpk_.
//
// A symmetric secret has [MinSecretBytes] to [MaxSecretBytes] bytes. Whatever
// is refused comes back as [*SecretError]; it says what to do and holds nothing
// of the input.
func ParseSecret(text string) (Secret, error) {
	return parseSecret(text, MinSecretBytes)
}

// ParseForeignSecret is ParseSecret for a secret that another party's sender
// issued and its receiver cannot choose: some providers issue fewer than
// [MinSecretBytes] bytes. It takes symmetric secrets from
// [MinForeignSecretBytes] on. The result only verifies; signing with it fails
// with [ErrCannotSign], so that nobody's own secrets become that short.
func ParseForeignSecret(text string) (Secret, error) {
	s, err := parseSecret(text, MinForeignSecretBytes)
	if err == nil && s.key().kind == KindSymmetric {
		s.key().foreign = true
	}
	return s, err
}

func parseSecret(text string, minimum int) (Secret, error) {
	kind, encoded, err := splitSecret(text)
	if err != nil {
		return Secret{}, err
	}
	raw, err := decodeSecret(encoded)
	if err != nil {
		return Secret{}, err
	}
	switch kind {
	case KindPrivate:
		return parsePrivate(raw)
	case KindPublic:
		if len(raw) != ed25519.PublicKeySize {
			return Secret{}, &SecretError{Reason: SecretBadKeyLength, Bytes: len(raw)}
		}
		return publicSecret(raw), nil
	}
	switch {
	case len(raw) < minimum:
		return Secret{}, &SecretError{Reason: SecretTooShort, Bytes: len(raw), Limit: minimum}
	case len(raw) > MaxSecretBytes:
		return Secret{}, &SecretError{Reason: SecretTooLong, Bytes: len(raw), Limit: MaxSecretBytes}
	}
	return newSecret(&key{kind: KindSymmetric, raw: raw}), nil
}

// splitSecret takes off what surrounds the base64 of a pasted secret.
func splitSecret(text string) (kind Kind, encoded string, err error) {
	text = unquote(strings.TrimSpace(text))
	for _, version := range []string{"v1,", "v1a,"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, version))
	}
	if text == "" {
		return "", "", &SecretError{Reason: SecretEmpty}
	}
	for kind, prefix := range prefixes {
		rest, found := strings.CutPrefix(text, prefix)
		if !found {
			continue
		}
		// A form that adds the prefix to a secret that has it makes two.
		for found {
			rest, found = strings.CutPrefix(rest, prefix)
		}
		switch {
		case rest == "":
			return "", "", &SecretError{Reason: SecretEmpty}
		case hasPrefix(rest):
			return "", "", &SecretError{Reason: SecretUnknownPrefix}
		}
		return kind, rest, nil
	}
	// These characters are URL-safe base64, but without a known prefix they are
	// more likely those of another kind of key or of a UUID, and decoding them
	// would give a wrong key.
	if strings.ContainsAny(text, "_-") {
		return "", "", &SecretError{Reason: SecretUnknownPrefix}
	}
	return KindSymmetric, text, nil
}

// hasPrefix also guards the decoding: a prefix in the wrong place is URL-safe
// base64 itself, and would give a wrong key.
func hasPrefix(text string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

func unquote(text string) string {
	for _, quote := range []string{`"`, `'`, "`"} {
		if len(text) >= 2 && strings.HasPrefix(text, quote) && strings.HasSuffix(text, quote) {
			return strings.TrimSpace(text[1 : len(text)-1])
		}
	}
	return text
}

func decodeSecret(encoded string) ([]byte, error) {
	// The decoder skips line breaks; inside a secret they mean that two lines,
	// perhaps two secrets, were pasted.
	if strings.ContainsAny(encoded, " \t\r\n") {
		return nil, &SecretError{Reason: SecretNotBase64}
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(encoded, "-_") {
		encoding = base64.RawURLEncoding
	}
	raw, err := encoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return nil, &SecretError{Reason: SecretNotBase64}
	}
	return raw, nil
}

func parsePrivate(raw []byte) (Secret, error) {
	switch len(raw) {
	case ed25519.SeedSize:
		return privateSecret(ed25519.NewKeyFromSeed(raw)), nil
	case ed25519.PrivateKeySize:
		s := privateSecret(ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize]))
		// Signing with a public half that does not belong to the seed gives the
		// seed away to whoever sees two signatures.
		if !s.key().public.Equal(ed25519.PublicKey(raw[ed25519.SeedSize:])) {
			return Secret{}, &SecretError{Reason: SecretKeyMismatch, Bytes: len(raw)}
		}
		return s, nil
	default:
		return Secret{}, &SecretError{Reason: SecretBadKeyLength, Bytes: len(raw)}
	}
}
