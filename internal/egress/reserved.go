package egress

import "strings"

// reservedSuffixes are the top-level names that no public DNS server will ever
// answer for, and that therefore mean somebody's own network. An explicit list
// and not "every top-level domain known today": a binary outlives such a list,
// and would then refuse new, honest names. What is forgotten here is still
// stopped when the address is checked.
var reservedSuffixes = map[string]bool{
	// IANA's special-use domain names. All of arpa is infrastructure:
	// reverse trees, home.arpa, ipv4only.arpa.
	"alt": true, "arpa": true, "example": true, "invalid": true, "local": true,
	"localhost": true, "onion": true, "test": true,

	// Reserved by ICANN for private use, or never to be delegated because
	// too many networks use them already.
	"corp": true, "home": true, "internal": true, "mail": true,

	// Habits of private networks (RFC 6762 appendix G, and routers' defaults).
	"intranet": true, "lan": true, "localdomain": true, "private": true, "workgroup": true,

	// Names that only container and cluster resolvers know.
	"cluster": true, "consul": true, "docker": true, "kube": true, "nomad": true, "pod": true, "svc": true,

	// Names of other networks than the DNS.
	"bit": true, "eth": true, "exit": true, "gnu": true, "i2p": true, "zkey": true,
}

// reservedSuffix returns the reserved top-level name that name is or ends
// with, or "".
func reservedSuffix(name string) string {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if reservedSuffixes[last] {
		return last
	}
	return ""
}
