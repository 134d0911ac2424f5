// Package contractrun has nothing but tests: each contract live, in a whole
// Malote over real HTTP and a real PostgreSQL, against one script of receivers
// that behave in every way which the contracts tell apart; workers that are
// killed where at-most-once is at stake; and what people do to dead letters
// afterwards.
//
// Schedules are scaled down, by the tests alone: a preset's text is rewritten
// with shorter times and published like any user's policy, so that nothing of
// the product knows of it. Whatever has to wait for real time to pass is
// bounded from below only: a busy machine may be late, never early. Package
// lifetimes shows the times themselves, on a clock that the tests set.
//
// Expectations are the contract's own numbers, written down again: none may be
// computed by the code that is tested.
package contractrun
