package seal

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// KeyBytes is the length of a key: AES-256.
const KeyBytes = 32

const (
	keyPrefix   = "mlk_"
	placeholder = keyPrefix + "[redacted]"
)

// Key is what values are sealed with. The zero Key is none. Only Reveal shows
// it.
type Key struct {
	// A function, because nothing prints the inside of one, not even where a Key
	// sits in somebody's unexported field and package fmt cannot call Format.
	bytes func() *[KeyBytes]byte
}

func newKey(secret [KeyBytes]byte) Key { return Key{func() *[KeyBytes]byte { return &secret }} }

// GenerateKey makes a key of what random gives (crypto/rand.Reader in
// production), which must not fail.
func GenerateKey(random io.Reader) Key {
	var secret [KeyBytes]byte
	mustRead(random, secret[:])
	return newKey(secret)
}

// ParseKey reads a key in its text form, mlk_ and standard base64 of 32 bytes,
// with or without padding. White space around it, such as the line break at a
// file's end, does not count. What is refused comes back as a *KeyError, which
// holds nothing of the text.
func ParseKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	encoded, found := strings.CutPrefix(text, keyPrefix)
	switch {
	case text == "" || found && encoded == "":
		return Key{}, &KeyError{Reason: KeyEmpty}
	case !found:
		return Key{}, &KeyError{Reason: KeyNoPrefix}
	case strings.ContainsAny(encoded, "\r\n"): // the decoder would skip them
		return Key{}, &KeyError{Reason: KeyNotBase64}
	}
	secret, err := base64.RawStdEncoding.Strict().DecodeString(strings.TrimRight(encoded, "="))
	switch {
	case err != nil:
		return Key{}, &KeyError{Reason: KeyNotBase64}
	case len(secret) != KeyBytes:
		return Key{}, &KeyError{Reason: KeyBadLength, Bytes: len(secret)}
	}
	return newKey([KeyBytes]byte(secret)), nil
}

// IsZero says whether there is no key.
func (k Key) IsZero() bool { return k.bytes == nil }

// ID names the key without giving anything of it away: 16 hexadecimal digits of
// a hash. The zero Key's is empty.
func (k Key) ID() string {
	if k.IsZero() {
		return ""
	}
	sum := sha256.Sum256(append([]byte("malote key id\x00"), k.bytes()[:]...))
	return hex.EncodeToString(sum[:8])
}

// Reveal gives the text form, for the operator's file. Never log it.
func (k Key) Reveal() string {
	if k.IsZero() {
		return ""
	}
	return keyPrefix + base64.StdEncoding.EncodeToString(k.bytes()[:])
}

// String shows a placeholder.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return placeholder
}

// Format prints the placeholder for every verb and flag.
func (k Key) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, k.String()) }

// LogValue logs the placeholder.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText keeps the key out of JSON.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func mustRead(random io.Reader, into []byte) {
	if _, err := io.ReadFull(random, into); err != nil {
		panic(fmt.Sprintf("seal: the source of randomness failed: %v", err))
	}
}
