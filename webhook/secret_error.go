package webhook

import "fmt"

// SecretReason says why a secret was refused. It is an error, so that
// errors.Is(err, webhook.SecretTooShort) works.
type SecretReason string

// Every reason for which [ParseSecret] refuses.
const (
	SecretEmpty         SecretReason = "secret_empty"
	SecretUnknownPrefix SecretReason = "secret_unknown_prefix" // neither whsec_ nor whsk_ nor whpk_
	SecretNotBase64     SecretReason = "secret_not_base64"     // cut off, or something else altogether
	SecretTooShort      SecretReason = "secret_too_short"
	SecretTooLong       SecretReason = "secret_too_long"
	SecretBadKeyLength  SecretReason = "secret_bad_key_length" // not the length of an ed25519 key
	SecretKeyMismatch   SecretReason = "secret_key_mismatch"   // the halves of a whsk_ key do not belong together
)

// Error returns the reason's code.
func (r SecretReason) Error() string { return string(r) }

// SecretError is what [ParseSecret] refuses with.
type SecretError struct {
	Reason SecretReason
	Bytes  int // how many bytes the text decoded to; 0 when it did not decode
	Limit  int // the limit that was missed, of SecretTooShort and SecretTooLong
}

// Error says what is wrong and what to do, without a character of the input.
func (e *SecretError) Error() string { return "webhook: " + e.sentence() }

// Unwrap returns the reason.
func (e *SecretError) Unwrap() error { return e.Reason }

func (e *SecretError) sentence() string {
	switch e.Reason {
	case SecretEmpty:
		return "the secret is empty: paste the whole secret, from whsec_ to its end"
	case SecretUnknownPrefix:
		return "the secret has none of the prefixes whsec_, whsk_ and whpk_: paste the webhook secret, not another kind of key"
	case SecretNotBase64:
		return "the secret is not base64: paste it in one piece, from its prefix to its end"
	case SecretTooShort:
		return fmt.Sprintf("the secret has %d bytes and needs at least %d: have a new one generated", e.Bytes, e.Limit)
	case SecretTooLong:
		return fmt.Sprintf("the secret has %d bytes and may have at most %d: have a new one generated", e.Bytes, e.Limit)
	case SecretBadKeyLength:
		return fmt.Sprintf("the key has %d bytes: an ed25519 public key (whpk_) has 32, a private key (whsk_) 32 or 64", e.Bytes)
	case SecretKeyMismatch:
		return "the two halves of the private key do not belong together: export the key pair again"
	default:
		return string(e.Reason)
	}
}
