// Package app makes a process out of the parts: it is the only place that knows
// all of them. It starts what a role needs, in order, and stops it in the
// reverse order, so that nothing that was accepted is dropped on the way out.
//
// It decides nothing about deliveries.
package app
