// Package outbox is the storage of outboxes: it installs one in a database,
// takes rows out of it for the relay, and keeps those that were refused.
//
// An outbox is in Malote's own database, or in an application's, which may be a
// PostgreSQL of version 13 or newer with none of Malote's other tables: this
// package therefore knows no other table and has connections of its own. It must
// never know what an event is or where a row goes.
package outbox
