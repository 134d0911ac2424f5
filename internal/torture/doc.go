// Package torture says what a run of Malote under faults consists of, and judges
// it: Plan makes a schedule of faults of a seed, and nothing else; Check compares
// what was published, what is recorded and what receivers saw, and names every
// promise that was broken, with the evidence.
//
// Both are pure: they know neither processes nor databases. The tests of this
// package are what runs the processes, hurts them and writes the journal:
//
//	make torture SEEDS=30 DURATION=60s    and a short run in make test
//	make torture-bugs                     each of bugs/*.patch must be found out
//	make soak                             an hour at half the top rate, with faults
//
// It must never know how Malote works inside: only what was promised.
package torture
