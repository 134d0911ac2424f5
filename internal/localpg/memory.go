package localpg

import "github.com/KimMachineGun/automemlimit/memlimit"

// PostgreSQL keeps pages in memory of its own; where endpoints are many, a claim
// changes a hundred at random. It gets an eighth of what there is: less than on a
// machine that does nothing else, for Malote and whatever is beside it have theirs.
const (
	shareOfMemory      = 8
	leastSharedBuffers = 64 << 20
	mostSharedBuffers  = 4 << 30
	// unknownMemory is assumed where nobody says how much there is.
	unknownMemory = 2 << 30
)

// sharedBuffers is how many bytes of so many the server gets.
func sharedBuffers(memory uint64) uint64 {
	return min(max(memory/shareOfMemory, leastSharedBuffers), mostSharedBuffers)
}

// availableMemory is the machine's, or what a container may use of it, in bytes.
func availableMemory() uint64 {
	least := uint64(0)
	for _, ask := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if limit, err := ask(); err == nil && (least == 0 || limit < least) {
			least = limit
		}
	}
	if least == 0 {
		return unknownMemory
	}
	return least
}
