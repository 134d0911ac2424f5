// Package gaprepair finds the webhooks that never came in. It compares what a
// provider lists as sent with the keys that the inbound door keeps, and brings
// the rest in through the same keys: whatever arrives by both ways is one event.
//
// A pass goes down a source's list from the newest to where the last pass
// began, page by page. Its state is written after every page, so it may stop
// anywhere, go on in another process, and be done twice: a page that is
// compared again finds what it brought in known. What only just happened is
// left to the door, which has the signed original.
//
// # What is missing
//
// An event is missing if its id is not among the source's keys, and for no other
// reason. Stripe's delivery_success=false and GitHub's status say what the
// provider thinks of its own request: that somebody answered it, not that
// we have it. Both are ignored, but for GitHub's where the door has a filter:
// what that leaves out has no key.
//
// The keys are kept for seven days (G01). Beyond that nobody can tell an event
// that came from one that did not, so nothing older is ever looked at.
//
// # Stripe: fed from the list
//
// An event is published with the bytes that it has in the list, cut out and
// never encoded anew, under its own id. It has the content of the webhook but
// not its bytes, and no headers: white space differs, pending_webhooks counts
// down, and an endpoint that is pinned to an API version of its own would have
// got it in that version, while the list has the one that the account had when
// it happened. The list has the events of all types; a source that gets some
// only must name them.
//
// # GitHub: asked to send again
//
// GitHub shows the payload of a delivery as a JSON value, out of which nobody
// can make the bytes that were signed. So none is taken from there: GitHub is
// asked to deliver again, the original request comes to the door with its
// signature and its id, and is verified like any other. Until it is there, the
// pass that asked has not got past it. A delivery is asked for at fixed ages, a
// few times within the three days for which GitHub can repeat it, whether or
// not a pass was killed in between.
//
// # Clocks
//
// Where the list is entered and left is decided by the provider's clock alone,
// which its answers tell (Date); ours says only when to ask next.
//
// It must never know SQL, nor how a token is stored, nor how a client gets out:
// keys, positions, publishing and the client are given to it. No token is in
// any error or log line of it, nor anything that a provider answered.
package gaprepair
