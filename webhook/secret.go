package webhook

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// Kind tells what a [Secret] can do.
type Kind string

// The kinds of secrets of Standard Webhooks 1.0.0.
const (
	KindSymmetric Kind = "symmetric"       // whsec_: signs and verifies with HMAC-SHA256
	KindPrivate   Kind = "ed25519_private" // whsk_: signs and verifies with ed25519
	KindPublic    Kind = "ed25519_public"  // whpk_: only verifies
)

const (
	prefixSymmetric = "whsec_"
	prefixPrivate   = "whsk_"
	prefixPublic    = "whpk_"
)

// prefixes maps each kind to the prefix of its textual form.
var prefixes = map[Kind]string{
	KindSymmetric: prefixSymmetric,
	KindPrivate:   prefixPrivate,
	KindPublic:    prefixPublic,
}

// generatedBytes is the length of a generated symmetric secret: as long as the
// output of SHA-256, which RFC 2104 section 3 names as the useful minimum.
const generatedBytes = 32

// A Secret is a key for signing or verifying webhooks.
//
// It never shows itself: printed with any verb, logged, or encoded as text or
// JSON it is a placeholder. [Secret.Reveal] is the only way to its value. The
// zero Secret holds no key, and signing or verifying with it fails with
// [ErrNoSecret].
//
// A Secret may be copied and used by several goroutines at once. Keep it and
// use it again rather than parsing it for every call: it caches the keyed state
// of its HMAC.
type Secret struct {
	// A function, because it is the one kind of value that nothing prints the
	// inside of: where a Secret sits in somebody's unexported field, package fmt
	// cannot call Format and, for verbs such as %s, prints what a pointer points
	// to. Debug printers follow pointers as well.
	key func() *key
}

func newSecret(k *key) Secret { return Secret{func() *key { return k }} }

type key struct {
	kind Kind
	// foreign keys were made by another sender's rules: they only verify.
	foreign bool
	raw     []byte             // KindSymmetric
	private ed25519.PrivateKey // KindPrivate
	public  ed25519.PublicKey  // KindPrivate and KindPublic
	macs    sync.Pool          // of *mac, keyed with raw
}

// GenerateSecret returns a new symmetric secret of 32 random bytes.
func GenerateSecret() Secret {
	raw := make([]byte, generatedBytes)
	rand.Read(raw) // never fails: it ends the process instead
	return newSecret(&key{kind: KindSymmetric, raw: raw})
}

// GenerateKeyPair returns a new ed25519 key pair: the private half signs, the
// public half is for the receivers.
func GenerateKeyPair() (private, public Secret) {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails: it ends the process instead
	private = privateSecret(ed25519.NewKeyFromSeed(seed))
	return private, publicSecret(private.key().public)
}

func privateSecret(private ed25519.PrivateKey) Secret {
	public := private.Public().(ed25519.PublicKey)
	return newSecret(&key{kind: KindPrivate, private: private, public: public})
}

func publicSecret(public ed25519.PublicKey) Secret {
	return newSecret(&key{kind: KindPublic, public: public})
}

// IsZero says whether s holds no key.
func (s Secret) IsZero() bool { return s.key == nil }

// Kind returns what s can do, or "" for the zero Secret.
func (s Secret) Kind() Kind {
	if s.IsZero() {
		return ""
	}
	return s.key().kind
}

// Public returns the public half of an ed25519 key, to be given to receivers.
// Of every other kind it returns the zero Secret.
func (s Secret) Public() Secret {
	if s.IsZero() || s.key().public == nil {
		return Secret{}
	}
	return publicSecret(s.key().public)
}

// Reveal returns the secret itself in its canonical form, prefix and padded
// standard base64 (S05). [ParseSecret] reads it back; for a secret read by
// [ParseForeignSecret], that does. Show it once, to its owner; never log it.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return prefixes[s.key().kind] + base64.StdEncoding.EncodeToString(s.key().bytes())
}

// bytes returns what the textual form encodes. A private key is written as seed
// and public half together, as other implementations do.
func (k *key) bytes() []byte {
	switch k.kind {
	case KindPrivate:
		return k.private
	case KindPublic:
		return k.public
	default:
		return k.raw
	}
}

// String returns a placeholder that names the kind and nothing of the value.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return prefixes[s.key().kind] + "[redacted]"
}

// Format prints the placeholder for every verb and flag, %#v and %x included.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// LogValue logs the placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText encodes the placeholder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON encodes the placeholder.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
