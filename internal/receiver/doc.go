// Package receiver is the other side of a delivery: an HTTP receiver that
// verifies signatures, recognises repetitions by webhook-id, counts and
// remembers what arrived, and behaves as it is told: politely, slowly, failing,
// or not at all.
//
// It serves `malote listen`, the demo and tests. What it accepts and refuses is
// package webhook's to say; how it answers what it accepted is its Manner's.
//
// It must never know the API, the store, policies or endpoints: all that it has
// to go by is a request, as any customer's receiver.
package receiver
