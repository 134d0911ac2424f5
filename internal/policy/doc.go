// Package policy holds delivery contracts as data: what a success is, when the
// next attempt is due, when a delivery is given up, what is sent in which
// headers, and what an endpoint's trouble leads to.
//
// A policy is a YAML file. The presets under presets/ are published contracts;
// users write their own in the same language, and Parse refuses one that does
// not make sense, with the line and the reason. Decide is the only place that
// turns an outcome into what happens next, and Schedule computes its tables
// with the very same code.
//
// The package must never know the clock, randomness, storage or the network:
// callers pass the instant and the random numbers.
package policy
