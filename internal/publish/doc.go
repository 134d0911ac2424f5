// Package publish is the way in for a platform's own events: it checks a
// request, builds the exact body bytes, plans the fan-out and gathers
// concurrent publishes into one transaction (group commit).
//
// Nobody is answered before the commit. It knows policies (for their envelopes)
// and filters, but never SQL, HTTP or how deliveries are sent; its storage is a
// small interface of its own.
package publish
