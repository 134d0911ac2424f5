// Package delivery is Malote's vocabulary: tenants, endpoints, events,
// deliveries, attempts and the reasons each of them can end with.
//
// It holds names and rules that need no context: what an id looks like, which
// states are final, which error codes exist. It must never know about storage,
// the network, HTTP or the clock: whatever needs the time or randomness takes
// them as arguments.
package delivery
