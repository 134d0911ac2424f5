// Package lifetimes has nothing but tests: whole lives of deliveries and
// endpoints under the contracts' presets, hours and days of them, in a real
// database whose time the tests set (pgtest.Clock).
//
// What runs is the store with the pure packages, in the order in which the
// dispatcher, the maintenance and the API call them; nothing is sent. The tests
// stand in for those callers and for the receivers, and must stay as faithful to
// them as they are small. Expectations are the contract's own numbers, written
// down again: none may be computed by the code that is tested.
package lifetimes
