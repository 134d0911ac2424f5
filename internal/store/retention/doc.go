// Package retention removes what is older than people want it kept: partitions of
// whole days, but for the rows in them that something still needs.
//
// Needed are, whatever their age: events (with their renderings) of open
// deliveries, of dead ones that nobody replayed or resolved, and those that an
// idempotency key names before its time is over; the dead deliveries themselves;
// and the attempts of open and dead deliveries. A day that nothing of is needed is
// dropped. Of others the needed rows are copied into a new table, which takes the
// partition's place in one transaction: readers see either of them, whole.
//
// Each table of a day is judged after those that need it: deliveries, then events
// and renderings, then attempts. Every step is a transaction of its own that leaves
// all that is needed readable, so that a run may end anywhere; the next one goes on.
//
// Nobody else waits for long. While rows are copied, only writers to that old day
// are held off: publishers whose clock is wrong by weeks, and, for the moment in
// which dead deliveries are copied, whoever closes or replays a delivery of that
// day. Exchanging the tables needs their parents alone, for a few milliseconds: it
// waits for that so briefly that those who queue up behind it hardly notice, and
// otherwise gives up until later (ErrBusy). The package must never wait for a lock
// of a parent longer, nor hold one between two statements.
package retention
