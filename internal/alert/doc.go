// Package alert makes signals into what people read: it gathers those that are
// alike, puts them into words, and publishes them as events of Malote's own
// tenant, which its endpoints get like any tenant's (webhooks, chat services,
// mail). What concerns a tenant's own people goes to their addresses, by mail.
//
// One notice tells of all signals of a kind within a window; the first is told at
// once. What ended before anybody was told of it is not told. A notice is written
// down with the signals that it tells of, in one transaction, and published under
// the id of the first: so it becomes one event, whatever dies in between.
//
// No alert is about an alert: what happens to the endpoints of Malote's own tenant
// is for the log and the metrics alone.
//
// The package must never know SQL, HTTP, SMTP or how events are published: storage
// and publisher are small interfaces of its own.
package alert
