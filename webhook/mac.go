package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
)

// mac is an HMAC-SHA256 keyed once and used many times: keying it anew costs two
// rounds of SHA-256 and six allocations, as much as signing a small body.
type mac struct {
	hash hash.Hash
	sum  [sha256.Size]byte // here, so that Sum needs no allocation
}

// digest returns HMAC-SHA256 of head and body, which are never joined: bodies
// are large, and both signing and verifying want no copy of them.
func (k *key) digest(head, body []byte) [sha256.Size]byte {
	m, pooled := k.macs.Get().(*mac)
	if pooled {
		m.hash.Reset()
	} else {
		m = &mac{hash: hmac.New(sha256.New, k.raw)}
	}
	m.hash.Write(head)
	m.hash.Write(body)
	m.hash.Sum(m.sum[:0])
	sum := m.sum
	k.macs.Put(m)
	return sum
}
