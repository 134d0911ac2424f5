package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// DefaultTolerance is how far a timestamp may be from now, in either direction
// (F16).
const DefaultTolerance = 5 * time.Minute

// A Message is a webhook whose signature held.
type Message struct {
	// ID is the webhook-id: the same on every attempt and resend of one event,
	// and so the key to recognise a repetition by. SchemeHex does not sign it.
	ID string
	// Timestamp is when this attempt was signed, in whole seconds. It is not
	// the time of the event.
	Timestamp time.Time
	// Attempt counts from 1; 0 when the sender does not say. Not signed.
	Attempt int
	// Trigger is why the attempt was made, "schedule" for example; empty when
	// the sender does not say. Not signed.
	Trigger string
	// Secret is the place of the first matching secret in the Verifier's list.
	// With the current secret first there, a rotated one can go once its place
	// no longer turns up here.
	Secret int
	// Body is exactly what was signed. It shares memory with what was verified.
	Body []byte
	// Header is the request's. Only id, timestamp and body are signed.
	Header http.Header
}

// A Verifier checks the signatures of webhooks against one or several secrets.
// It is immutable and may be used by several goroutines at once.
type Verifier struct {
	secrets   []Secret
	scheme    Scheme
	tolerance time.Duration
	now       func() time.Time
}

// VerifierOption changes a default of [NewVerifier].
type VerifierOption func(*Verifier)

// WithScheme chooses the signature scheme; the default is [SchemeStandard].
func WithScheme(scheme Scheme) VerifierOption {
	return func(v *Verifier) { v.scheme = scheme }
}

// WithTolerance sets how far a timestamp may be from now, in either direction
// and in whole seconds; the default is [DefaultTolerance]. A long tolerance
// gives whoever captured a request as long to send it again.
func WithTolerance(tolerance time.Duration) VerifierOption {
	return func(v *Verifier) { v.tolerance = tolerance }
}

// WithClock replaces time.Now.
func WithClock(now func() time.Time) VerifierOption {
	return func(v *Verifier) { v.now = now }
}

// NewVerifier returns a Verifier that accepts a webhook signed with any of the
// secrets: during a rotation give both. Public ed25519 keys are enough to
// verify; they, and private ones, need [SchemeStandard].
//
// The errors are [ErrNoSecret] and [ErrNotSymmetric], or that the scheme is
// unknown or the tolerance negative.
func NewVerifier(secrets []Secret, options ...VerifierOption) (*Verifier, error) {
	v := &Verifier{
		secrets:   slices.Clone(secrets),
		scheme:    SchemeStandard,
		tolerance: DefaultTolerance,
		now:       time.Now,
	}
	for _, option := range options {
		option(v)
	}
	if v.scheme != SchemeStandard && v.scheme != SchemeHex {
		return nil, fmt.Errorf("webhook: new verifier: unknown scheme %q: use %q or %q", v.scheme, SchemeStandard, SchemeHex)
	}
	if v.tolerance < 0 {
		return nil, fmt.Errorf("webhook: new verifier: the tolerance %s is negative", v.tolerance)
	}
	if err := checkSecrets(v.scheme, v.secrets); err != nil {
		return nil, fmt.Errorf("webhook: new verifier: %w", err)
	}
	return v, nil
}

// Verify says whether a webhook is genuine and in time, and returns what it
// says. The body must be the bytes exactly as they arrived; header keys must be
// canonical, as net/http makes them. In SchemeStandard svix-id, svix-timestamp
// and svix-signature do as well as the webhook- headers.
//
// Every error is a [*VerifyError]. Verify remembers nothing: a repetition within
// the tolerance is verified again, and it is for the caller to recognise its ID
// ([Handler] does).
func (v *Verifier) Verify(header http.Header, body []byte) (Message, error) {
	e, err := v.open(header)
	if err != nil {
		return Message{}, err
	}
	return v.check(e, header, body)
}

// check is the second half of Verify, once the body is there.
func (v *Verifier) check(e envelope, header http.Header, body []byte) (Message, error) {
	matching := slices.IndexFunc(v.secrets, func(s Secret) bool { return s.key().matches(e.head, body, e.list) })
	if matching < 0 {
		return Message{}, v.diagnose(e, body)
	}
	m := Message{
		ID:        e.id,
		Timestamp: time.Unix(e.seconds, 0).UTC(),
		Trigger:   header.Get(HeaderTrigger),
		Secret:    matching,
		Body:      body,
		Header:    header,
	}
	if n, err := strconv.Atoi(header.Get(HeaderAttempt)); err == nil && n > 0 {
		m.Attempt = n
	}
	return m, nil
}

// matches says whether k made any signature of the list. Comparisons take the
// same time wherever the bytes differ.
func (k *key) matches(head, body []byte, list []signature) bool {
	if !k.canCheck(list) {
		return false
	}
	if k.kind == KindSymmetric {
		sum := k.digest(head, body)
		return slices.ContainsFunc(list, func(s signature) bool {
			return s.version == versionHMAC && hmac.Equal(sum[:], s.sum)
		})
	}
	message := slices.Concat(head, body)
	return slices.ContainsFunc(list, func(s signature) bool {
		return s.version == versionEd25519 && ed25519.Verify(k.public, message, s.sum)
	})
}
