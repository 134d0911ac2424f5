// Package webhook signs, verifies and receives webhooks.
//
// It speaks two signature schemes, both over HMAC-SHA256 and both with any
// number of live secrets, so that a secret can be rotated without an outage:
//
//   - [SchemeStandard], Standard Webhooks 1.0.0: the header webhook-signature
//     is a space-separated list of "v1,<base64>" (and "v1a,<base64>" for
//     ed25519 keys) over "id.timestamp.body". See [Sign].
//   - [SchemeHex], the scheme of Malote's fair-queue policy: a comma-separated
//     list of "v1=<hex>" over "timestamp.body". See [SignHex].
//
// # Receiving
//
// [Handler] is a complete receiver: it caps the body, verifies it, runs a
// function once per webhook-id and answers so that the sender retries exactly
// when it should.
//
//	secret, err := webhook.ParseSecret(os.Getenv("WEBHOOK_SECRET"))
//	…
//	verifier, err := webhook.NewVerifier([]webhook.Secret{secret})
//	…
//	http.Handle("POST /hooks", webhook.Handler(verifier, func(ctx context.Context, m webhook.Message) error {
//		return book(ctx, m.Body)
//	}))
//
// Delivery is at least once: a sender that misses an answer asks again, with
// the same webhook-id. Handler recognises it through a [Seen] store; the
// default one lives in memory, so a restart forgets it. Package webhook/pgseen
// has one in PostgreSQL, which also keeps an id in the same transaction as what
// the receiver does about it.
//
// # Verifying without the handler
//
// [Verifier.Verify] takes the headers and the body exactly as they arrived. A
// body that was parsed and encoded again is another body: read the bytes first,
// verify them, and parse afterwards. When a signature does not hold,
// [VerifyError] says which rule failed ([Reason]), by how many seconds, and as
// far as it can be found out, why ([Diagnosis]): the wrong secret, a re-encoded
// body, or a secret or signature in the wrong encoding.
//
// # What it must never know
//
// The package depends on the standard library alone. It knows no tenant,
// endpoint, policy or database; other stores for processed ids implement
// [Seen] elsewhere. It opens no connection and never logs a body or a secret.
package webhook
