// Package store is everything that Malote keeps, in PostgreSQL. It is the only
// package (with its sub-packages registry and history) that contains SQL.
//
// It owns the transactions that the guarantees rest on: publish (event, queue
// rows and keys commit together), claim (exact limits under the lane's lock),
// completion (queue row, history, lane and statistics commit together, and only
// where the claim is still ours). It must never make a network call other than
// to the database, and never decide what an outcome means: policy and circuit,
// which are pure, do that.
//
// Lock order, everywhere: lanes by (shard, endpoint_id), then queue rows by
// (shard, id), then everything else. A statement that breaks it deadlocks
// within seconds under load; hot transactions also retry 40P01 and 40001.
package store
