// Package simulate lets days pass in milliseconds: a queue of events on a time
// of its own, in which the very policies and circuits that ship decide about
// attempts, and a model of claiming hands the deliveries out.
//
// policy.Decide, circuit.Next, circuit.Tick and circuit.ClaimLimit are the real
// ones. The lanes, their order, the slots of a process and the share of them that
// suspects may hold follow what storage and dispatch do, step by step
// (docs/decisions/0003 and 0005); each step names its original. The model's
// database answers at once and never fails, and requests are what a Receiver says.
//
// The package must never know the clock, chance, storage or the network: whoever
// runs a simulation passes the instants and the random numbers, and the same ones
// give the same simulation.
package simulate
