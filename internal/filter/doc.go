// Package filter compiles and evaluates the conditions by which an endpoint
// takes some events and leaves others: expressions in CEL (Common Expression
// Language) over one event, such as
//
//	type == "invoice.paid" && data.total > 1000
//
// A filter knows type, tenant, content_type, external_id, coalesce_key and
// entity_version (strings, "" where the publisher gave none), occurred_at (a
// timestamp) and data, the publisher's JSON value. data is decoded for the
// filter's eyes only, at most once per event, and nothing is ever encoded from
// it. An integer is an int if 64 bits hold it, with or without a sign, and exact;
// all other numbers are doubles. They compare with one another by value. Of
// members with the same name the last counts.
//
// # What a filter cannot judge is let through
//
// A field that is missing or of another type than the filter expects, a body that
// is not JSON, an event that would cost too much: then Match says true, with an
// error. The other way round a misspelt field would drop every event, and nobody
// would notice before the money is missing; an event too many is seen at once,
// and receivers can bear it: they get some events twice anyway. Who means
// "has no total, so I don't want it" writes so: has(data.total) && data.total > 10.
// As always in CEL, an error counts only if the answer depends on it:
// type == "a" && data.total > 10 is false for every other type.
//
// # What it may cost
//
// The length, the nesting and the patterns of an expression are bounded when it
// is compiled, as is its cost over an event of ordinary size. The real cost is
// counted while it runs and bounded for each filter and for all filters of an
// event together. Costs are counted in steps, never in time, so that a verdict
// does not depend on the machine or its load.
//
// It must never know about storage, HTTP or who uses a filter for what.
package filter
