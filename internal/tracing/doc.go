// Package tracing makes OpenTelemetry spans of an event's way: publish, claim,
// attempt. It stands around the publisher, the storage and the sender, which know
// nothing of it; what connects their spans is the event's traceparent, which is
// stored with it and may be hours old when the next span begins.
//
// Without an exporter it is not there at all: a traceparent that a publisher gave
// is then stored and passed on as it is. It must never see a body, a secret or an
// endpoint's query string.
package tracing
