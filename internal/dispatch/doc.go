// Package dispatch turns due deliveries into attempts: it claims as many as it
// can send now, sends each in a goroutine of its own, lets the policy decide
// and completes the outcomes in batches.
//
// One goroutine claims; one per attempt sends; a few complete. It must never
// know SQL or HTTP: storage and sender are small interfaces of its own. On a
// crash, whatever was claimed comes back when its lease ends.
package dispatch
