// Package source verifies what other people's webhooks say about themselves:
// one provider a file, all of them behind [Provider.Verify].
//
// A [Request] and the source's live secrets give a [Verdict]: whether the
// signature holds and by which secret, and if not, why; which event it is, of
// which type, and by which key a repetition is known; the items of a batch, each
// with its exact bytes; the answer to a handshake; the answer that the provider
// takes for a receipt. What must be fetched first (a certificate, a key) comes
// back as a [Fetch], with its host already held to the provider's own.
//
// The bytes of a body are never written anew: identifiers and items are cut out
// of the text as it arrived, by a reader of its own that has no recursion and
// takes no member that is there twice.
//
// # What it must never know
//
// The package opens no connection, reads no file, and asks for neither the time
// nor chance: they are arguments. It knows no tenant, no database and no HTTP
// server. It remembers nothing: recognising a repetition is up to whoever keeps
// the keys. Nothing that it returns holds a secret.
package source
