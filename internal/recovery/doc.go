// Package recovery drives the jobs that redeliver what an endpoint missed, or what
// died, within a span of time: it says which windows may be asked for, and gives
// every running job its turn.
//
// A job's state is in the database, and a batch is one transaction there. So
// the driver keeps nothing: it may be killed at any point, run in several
// processes at once, and be started anew. It must never know SQL, and never how
// fast a lane may be filled: storage is an interface, and decides that under the
// lane's lock.
package recovery
