package seal

import (
	"errors"
	"fmt"
)

// Why a value does not open. Open's errors wrap one of them.
var (
	// ErrUnknownKey: the key that it is sealed under was not given. The error is
	// an *UnknownKeyError.
	ErrUnknownKey = errors.New("the key is not known")
	// ErrBroken: it was damaged, or it is another row's.
	ErrBroken = errors.New("the sealed value is damaged or belongs to another row")
)

// UnknownKeyError names the key that is missing.
type UnknownKeyError struct{ KeyID string }

// Error says what to do.
func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("the value is sealed under the key %s, which was not given: add it to the older keys", e.KeyID)
}

// Unwrap returns ErrUnknownKey.
func (e *UnknownKeyError) Unwrap() error { return ErrUnknownKey }

// KeyReason says why the text of a key was refused. It is an error, so that
// errors.Is(err, seal.KeyBadLength) works.
type KeyReason string

// Every reason for which ParseKey refuses.
const (
	KeyEmpty     KeyReason = "key_empty"
	KeyNoPrefix  KeyReason = "key_no_prefix"
	KeyNotBase64 KeyReason = "key_not_base64"
	KeyBadLength KeyReason = "key_bad_length"
)

// Error returns the reason's code.
func (r KeyReason) Error() string { return string(r) }

// KeyError is what ParseKey refuses with.
type KeyError struct {
	Reason KeyReason
	Bytes  int // how many there were, of KeyBadLength
}

// Error says what is wrong and what to do, without a character of the text.
func (e *KeyError) Error() string {
	switch e.Reason {
	case KeyEmpty:
		return "the sealing key is empty: give the whole key, from mlk_ to its end"
	case KeyNoPrefix:
		return "the sealing key does not begin with mlk_: give a key that Malote generated, not another secret"
	case KeyNotBase64:
		return "the sealing key is not mlk_ and standard base64: copy it in one piece, from mlk_ to its end"
	case KeyBadLength:
		return fmt.Sprintf("the sealing key has %d bytes and must have %d: copy it in one piece, from mlk_ to its end", e.Bytes, KeyBytes)
	default:
		return string(e.Reason)
	}
}

// Unwrap returns the reason.
func (e *KeyError) Unwrap() error { return e.Reason }
