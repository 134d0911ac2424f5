// Package bench measures a Malote from outside: it starts a PostgreSQL and
// processes of `malote serve`, publishes over HTTP, receives what is delivered,
// and reads the database's own counters. What the machine could do at most, and
// what other pipelines do that speak a little of Malote's API, it measures in the
// same run.
//
// Everything is on one machine, the load and the receivers included, and the
// database keeps what it was told (fsync and synchronous_commit on). It must never
// look into a process that it measures, but for its size and its processor time;
// only the claims of the scale scenario are called here.
package bench
