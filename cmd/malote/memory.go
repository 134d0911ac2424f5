package main

import (
	"os"
	"runtime/debug"
)

// rareCollection lets the heap grow to five times what is live before it is
// collected. What is live is bounded by configuration to some 15 MB, so that this
// costs memory nobody misses, and saves a good part of the processor's time.
const rareCollection = 400

// collectRarely eases garbage collection, unless the operator set GOGC.
func collectRarely() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(rareCollection)
	}
}
