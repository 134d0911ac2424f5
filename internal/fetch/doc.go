// Package fetch gets what the verification of an inbound webhook needs from its
// provider: certificates, JSON web keys, and the visit that confirms a
// subscription.
//
// Whoever knocks at the public door says what is to be fetched, so nothing of it
// is trusted: https only, on the host to which package source has pinned the
// fetch and on its own port, through the egress guard's dialer, no redirect
// followed, one deadline over everything, a bound on the answer. What was fetched
// is kept, and had anew in time, failures are kept for a moment too, many who want
// the same share one call, and each owner (a source) has an allowance of its own
// for what is new, so that a flood against one source neither reaches the provider
// nor uses up what others need.
//
// It must never know what the content means, nor about HTTP servers, tenants or
// storage. It logs no path, query or body: they may hold tokens.
package fetch
