package webhook

import (
	"fmt"
	"time"
)

// Reason says which rule a webhook broke. It is an error, so that
// errors.Is(err, webhook.ReasonStale) works, and its text is stable.
type Reason string

// Every reason for which [Verifier.Verify] refuses, in the order of the checks.
const (
	ReasonMissingHeader Reason = "missing_header" // a header is absent or empty
	ReasonMalformed     Reason = "malformed"      // a header cannot be read
	ReasonStale         Reason = "stale"          // the timestamp is older than the tolerance
	ReasonFuture        Reason = "future"         // the timestamp is ahead by more than the tolerance
	ReasonBadSignature  Reason = "bad_signature"  // no signature matches any secret
)

// Error returns the reason's code.
func (r Reason) Error() string { return string(r) }

// Diagnosis says why no signature matched, as far as can be found out from the
// request: it is found by trying what the sender may have done instead.
type Diagnosis string

// What a [ReasonBadSignature] can be due to.
const (
	// DiagnosisNone: the body is larger than 16 KiB, or the reason is another.
	DiagnosisNone Diagnosis = ""
	// DiagnosisVersion: the header has no signature of a kind that the secrets
	// can check, for example only v1a for a whsec_ secret.
	DiagnosisVersion Diagnosis = "unusable_version"
	// DiagnosisSignatureEncoding: the signature is right but written otherwise,
	// for example hex in place of base64. The sender must change.
	DiagnosisSignatureEncoding Diagnosis = "signature_encoding"
	// DiagnosisSecretNotDecoded: the sender used the secret's text as the key
	// in place of the bytes it encodes. The sender must change.
	DiagnosisSecretNotDecoded Diagnosis = "secret_not_decoded"
	// DiagnosisBodyReencoded: the signature holds for the same content written
	// in other bytes. Something between sender and Verify parsed the body and
	// wrote it anew: verify the bytes as they arrived.
	DiagnosisBodyReencoded Diagnosis = "body_reencoded"
	// DiagnosisWrongSecret: none of the above, so most likely another secret
	// signed, or the body's content was changed.
	DiagnosisWrongSecret Diagnosis = "wrong_secret"
)

// VerifyError is what [Verifier.Verify] refuses with.
type VerifyError struct {
	Reason Reason
	Header string // the header at fault, of ReasonMissingHeader and ReasonMalformed
	// SkewSeconds is now minus the timestamp, of ReasonStale (positive) and
	// ReasonFuture (negative).
	SkewSeconds int64
	Tolerance   time.Duration // what was allowed, of ReasonStale and ReasonFuture
	Diagnosis   Diagnosis     // of ReasonBadSignature
	Detail      string        // of ReasonMalformed and DiagnosisBodyReencoded: what exactly
}

// Error says what is wrong and what to do. It holds neither body nor secret, and
// may be shown to the sender.
func (e *VerifyError) Error() string { return "webhook: " + e.sentence() }

// Unwrap returns the reason.
func (e *VerifyError) Unwrap() error { return e.Reason }

func (e *VerifyError) sentence() string {
	allowed := int64(e.Tolerance / time.Second)
	switch e.Reason {
	case ReasonMissingHeader:
		return fmt.Sprintf("the header %s is missing: send webhook-id, webhook-timestamp and webhook-signature", e.Header)
	case ReasonMalformed:
		return fmt.Sprintf("the header %s cannot be read: %s", e.Header, e.Detail)
	case ReasonStale:
		return fmt.Sprintf("the timestamp is %d s old and may be %d s: sign every attempt with its own time, and compare the clocks", e.SkewSeconds, allowed)
	case ReasonFuture:
		return fmt.Sprintf("the timestamp is %d s ahead and may be %d s: compare the clocks of sender and receiver", -e.SkewSeconds, allowed)
	case ReasonBadSignature:
		return "no signature matches: " + e.cause()
	default:
		return string(e.Reason)
	}
}

func (e *VerifyError) cause() string {
	switch e.Diagnosis {
	case DiagnosisVersion:
		return "none is of a version that this receiver's secrets can check (v1 for whsec_, v1a for whpk_)"
	case DiagnosisSignatureEncoding:
		return "it is right but in the wrong encoding; the scheme's own is required"
	case DiagnosisSecretNotDecoded:
		return "the sender used the secret's text as the key; the key is what follows whsec_ after base64 decoding"
	case DiagnosisBodyReencoded:
		return "the body was re-encoded after signing (" + e.Detail + "); verify the bytes exactly as they arrived"
	case DiagnosisWrongSecret:
		return "another secret signed, or the body was changed after signing"
	default:
		return "the body is too large to look for the cause"
	}
}
