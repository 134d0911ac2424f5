// Package sender makes one attempt: it takes a claimed delivery and its
// policy, sends at most one signed HTTP request, or one mail, under one total
// deadline, and returns what came of it as a [delivery.Outcome].
//
// It never decides. Whether an outcome is a success, what follows from it and
// when the next attempt is due are the policy's to say. It must never know
// storage, lanes, leases or circuits, and it keeps nothing between attempts
// but idle connections, TLS sessions and parsed secrets.
//
// The other end is taken to be hostile: whatever it does, an attempt ends by
// its deadline, and the memory it costs is bounded (response headers by 64 KiB,
// a body by the policy, interim answers by their number).
package sender
