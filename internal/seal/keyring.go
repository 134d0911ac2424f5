package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
)

// The form of a sealed value: a version, a random nonce, then the ciphertext
// with its tag. The version and the context are authenticated with it.
const (
	version    = 1
	nonceBytes = 12
	tagBytes   = 16

	// Overhead is by how many bytes a value grows.
	Overhead = 1 + nonceBytes + tagBytes
)

// Keyring is the current key, which seals, and older ones, which only open.
// The nil Keyring is an empty one: it leaves values as they are, and opens what
// was left so. A Keyring is safe for concurrent use.
type Keyring struct {
	current string                      // "": values are left as they are
	find    func(id string) (box, bool) // a function, for the reason that Key is one
	ids     []string
}

// box seals and opens under one key.
type box struct{ aead cipher.AEAD }

// NewKeyring makes a keyring. Where current is the zero Key, nothing is sealed
// any more, and what the older keys sealed still opens.
func NewKeyring(current Key, older ...Key) *Keyring {
	boxes := make(map[string]box)
	for _, key := range append(older[:len(older):len(older)], current) {
		if !key.IsZero() {
			boxes[key.ID()] = newBox(key)
		}
	}
	find := func(id string) (box, bool) {
		b, found := boxes[id]
		return b, found
	}
	return &Keyring{current: current.ID(), find: find, ids: slices.Sorted(maps.Keys(boxes))}
}

func newBox(key Key) box {
	block, err := aes.NewCipher(key.bytes()[:])
	if err != nil {
		panic(fmt.Sprintf("seal: a key of %d bytes was refused: %v", KeyBytes, err))
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(fmt.Sprintf("seal: AES was refused: %v", err))
	}
	return box{aead}
}

// CurrentKey is the id of the key that seals; empty: nothing is sealed.
func (k *Keyring) CurrentKey() string {
	if k == nil {
		return ""
	}
	return k.current
}

// KeyIDs are the ids of all keys, sorted.
func (k *Keyring) KeyIDs() []string {
	if k == nil {
		return nil
	}
	return slices.Clone(k.ids)
}

// Knows says whether what is sealed under a key opens; that of no key does.
func (k *Keyring) Knows(keyID string) bool {
	if keyID == "" {
		return true
	}
	_, found := k.lookUp(keyID)
	return found
}

func (k *Keyring) lookUp(keyID string) (box, bool) {
	if k == nil {
		return box{}, false
	}
	return k.find(keyID)
}

// Seal seals a value for one context, and says under which key; without a
// current key the value comes back as it is, with an empty id. random must be
// crypto/rand.Reader in production, and must not fail: a nonce that is used
// twice gives both values away.
func (k *Keyring) Seal(plain, context []byte, random io.Reader) (sealed []byte, keyID string) {
	b, found := k.lookUp(k.CurrentKey())
	if !found {
		return bytes.Clone(plain), ""
	}
	sealed = make([]byte, 1+nonceBytes, len(plain)+Overhead)
	sealed[0] = version
	nonce := sealed[1 : 1+nonceBytes]
	mustRead(random, nonce)
	return b.aead.Seal(sealed, nonce, plain, authenticated(context)), k.current
}

// Open opens what Seal gave for the same context. Its errors wrap ErrUnknownKey
// or ErrBroken.
func (k *Keyring) Open(sealed, context []byte, keyID string) ([]byte, error) {
	if keyID == "" {
		return bytes.Clone(sealed), nil
	}
	b, found := k.lookUp(keyID)
	switch {
	case !found:
		return nil, &UnknownKeyError{KeyID: keyID}
	case len(sealed) < Overhead || sealed[0] != version:
		return nil, ErrBroken
	}
	nonce, ciphertext := sealed[1:1+nonceBytes], sealed[1+nonceBytes:]
	plain, err := b.aead.Open([]byte{}, nonce, ciphertext, authenticated(context))
	if err != nil {
		return nil, ErrBroken // why, is not to be told apart
	}
	return plain, nil
}

func authenticated(context []byte) []byte { return append([]byte{version}, context...) }

// String names the keys' ids at most.
func (k *Keyring) String() string {
	if k.CurrentKey() == "" {
		return "keyring without a current key"
	}
	return fmt.Sprintf("keyring of %d, current %s", len(k.ids), k.current)
}

// Format prints the same for every verb and flag.
func (k *Keyring) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, k.String()) }

// LogValue logs the same.
func (k *Keyring) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText keeps keys out of JSON.
func (k *Keyring) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
