// Package pipeline is what hand-rolled webhook senders have in common: an HTTP API
// that takes events and commits each before it answers, and an HTTP client that
// signs and POSTs them. It speaks as much of Malote's API as malote bench needs.
// How events wait in between, it does not know: a Queue does.
package pipeline
