package policy

import (
	"crypto/sha256"

	"github.com/malotehq/malote/internal/delivery"
)

// uuid4 gives each event one version 4 UUID (A05). It is computed from the id,
// which is made when the event comes in and carries 52 random bits, so that no
// column has to hold it and no resend can change it.
func uuid4(id delivery.ID) string {
	sum := sha256.Sum256(append([]byte("idempotency-key "), id[:]...))
	key := delivery.ID(sum[:16])
	key[6] = key[6]&0x0f | 0x40
	key[8] = key[8]&0x3f | 0x80
	return key.String()
}
