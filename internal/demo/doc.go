// Package demo shows a running Malote at work and checks it: it creates tenants
// and endpoints whose receivers have good and bad manners, publishes events from
// several publishers at once, shows live what becomes of them, and in the end
// accounts for every event and delivery, from the publisher's answer to the
// bytes that arrived.
//
// It is a customer: it knows the HTTP API, the published policies and its own
// receivers. It must never know the store, the workers, or anything else that a
// customer could not see.
package demo
