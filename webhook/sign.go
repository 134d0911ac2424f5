package webhook

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The headers of a webhook (S04, S07). Only the id and the timestamp are
// covered by the signature, and the id only in SchemeStandard.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp" // seconds since 1970, of this attempt
	HeaderSignature = "Webhook-Signature"
	HeaderAttempt   = "Webhook-Attempt" // 1, 2, …
	HeaderTrigger   = "Webhook-Trigger" // schedule, replay, test or recover
)

// MaxIDBytes is the longest webhook-id that is signed or accepted; it bounds
// what a store of seen ids has to keep.
const MaxIDBytes = 256

// maxTimestamp is the first second that cannot be meant: of today's
// milliseconds taken for seconds, and of anything after the year 5138.
const maxTimestamp = 100_000_000_000

// What signing, and building a Verifier, can fail with; test with errors.Is.
var (
	// ErrNoSecret: no secret, or a zero one, was given. Nothing is signed with
	// an empty key, and a webhook without a signature is not to be sent (D13).
	ErrNoSecret = errors.New("no secret: give at least one, from ParseSecret or GenerateSecret")
	// ErrCannotSign: the secret only verifies.
	ErrCannotSign = errors.New("the secret only verifies: sign with a whsec_ secret of at least 24 bytes or a whsk_ key")
	// ErrNotSymmetric: the scheme has no signature for ed25519 keys.
	ErrNotSymmetric = errors.New("the scheme takes symmetric secrets only: use one that begins with whsec_")
	// ErrBadID: the id is empty, longer than MaxIDBytes, or has a character
	// that is not printable ASCII, or is a full stop.
	ErrBadID = errors.New("the id must be 1 to 256 printable ASCII characters, without space and full stop")
	// ErrBadTimestamp: the time is not after 1970 and before 5138.
	ErrBadTimestamp = errors.New("the timestamp must be after 1970 and before 5138: give the time of this attempt")
)

// Sign returns the value of the webhook-signature header of Standard Webhooks
// 1.0.0 (S04): for every secret, in the order given and separated by spaces,
// "v1," and base64 of HMAC-SHA256, or for a private ed25519 key "v1a," and
// base64 of its signature, over the bytes id.timestamp.body. Give the current
// secret first and, during a rotation, every other live one after it.
//
// timestamp is the time of this attempt; its seconds must be what the header
// webhook-timestamp says. The id stays the same on every attempt. An id with a
// full stop is refused: id and timestamp could be told apart in two ways.
//
// The errors are [ErrBadID], [ErrBadTimestamp], [ErrNoSecret] and [ErrCannotSign].
func Sign(id string, timestamp time.Time, body []byte, secrets ...Secret) (string, error) {
	if !validID(id) {
		return "", fmt.Errorf("webhook: signing: %w", ErrBadID)
	}
	head, err := signedHead(SchemeStandard, id, timestamp, secrets)
	if err != nil {
		return "", err
	}
	out := make([]byte, 0, len(secrets)*(len("v1, ")+base64.StdEncoding.EncodedLen(sha256.Size)))
	for i, secret := range secrets {
		if i > 0 {
			out = append(out, ' ')
		}
		if secret.key().kind == KindPrivate {
			signature := ed25519.Sign(secret.key().private, slices.Concat(head, body))
			out = base64.StdEncoding.AppendEncode(append(out, "v1a,"...), signature)
			continue
		}
		sum := secret.key().digest(head, body)
		out = base64.StdEncoding.AppendEncode(append(out, "v1,"...), sum[:])
	}
	return string(out), nil
}

// SignHex returns the value of the webhook-signature header of the fair-queue
// contract (F10): for every secret "v1=" and the lower-case hex of HMAC-SHA256
// over the bytes timestamp.body, separated by commas without spaces, in the
// order given. A receiver splits at the commas and accepts any one match.
// (Commas, because that is how HTTP itself joins list headers, RFC 9110
// section 5.3; hex has none.)
//
// The HMAC key is the secret's raw bytes, that is, what follows whsec_ after
// base64 decoding, just as in Sign: one secret then means one key, whichever
// scheme a policy chooses, and an endpoint can change schemes without a new one.
//
// The id is not signed: whoever captures a request can send it again under
// another id for as long as the timestamp is accepted. That is the contract's
// choice; [Sign] has no such gap.
//
// The errors are [ErrBadTimestamp], [ErrNoSecret], [ErrCannotSign] and
// [ErrNotSymmetric].
func SignHex(timestamp time.Time, body []byte, secrets ...Secret) (string, error) {
	head, err := signedHead(SchemeHex, "", timestamp, secrets)
	if err != nil {
		return "", err
	}
	out := make([]byte, 0, len(secrets)*(len("v1=,")+hex.EncodedLen(sha256.Size)))
	for i, secret := range secrets {
		if i > 0 {
			out = append(out, ',')
		}
		sum := secret.key().digest(head, body)
		out = hex.AppendEncode(append(out, "v1="...), sum[:])
	}
	return string(out), nil
}

// signedHead checks what both schemes need and returns what is signed before
// the body.
func signedHead(scheme Scheme, id string, timestamp time.Time, secrets []Secret) ([]byte, error) {
	seconds := timestamp.Unix()
	if seconds <= 0 || seconds >= maxTimestamp {
		return nil, fmt.Errorf("webhook: signing: %w", ErrBadTimestamp)
	}
	if err := checkSecrets(scheme, secrets); err != nil {
		return nil, fmt.Errorf("webhook: signing: %w", err)
	}
	for _, secret := range secrets {
		if secret.key().kind == KindPublic || secret.key().foreign {
			return nil, fmt.Errorf("webhook: signing: %w", ErrCannotSign)
		}
	}
	return scheme.head(id, strconv.FormatInt(seconds, 10)), nil
}

// checkSecrets says whether every secret is there and fits the scheme.
func checkSecrets(scheme Scheme, secrets []Secret) error {
	if len(secrets) == 0 || slices.ContainsFunc(secrets, Secret.IsZero) {
		return ErrNoSecret
	}
	notSymmetric := func(s Secret) bool { return s.key().kind != KindSymmetric }
	if scheme == SchemeHex && slices.ContainsFunc(secrets, notSymmetric) {
		return ErrNotSymmetric
	}
	return nil
}

// validID also keeps an id from breaking out of the header it is sent in.
func validID(id string) bool {
	outside := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '.' }
	return id != "" && len(id) <= MaxIDBytes && !strings.ContainsFunc(id, outside)
}
