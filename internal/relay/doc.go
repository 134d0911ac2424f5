// Package relay carries rows from outboxes to events: it takes what applications
// committed, publishes it, and only then lets the outbox forget it.
//
// Exactly once. A row's id is its event's idempotency key unless the application
// gave one of its own. The event is committed before the row is gone; whatever
// dies in between, the row comes again and is a duplicate of the event that it
// made. That holds for as long as keys are kept, 7 days.
//
// No order is assumed. Rows appear when their transactions commit, which may be
// minutes after a later row was carried. Where two rows are seen together, the
// one written first is carried first, and no more is promised.
//
// It must never know SQL, HTTP, or what an event is sent to.
package relay
