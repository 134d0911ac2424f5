package delivery

import (
	"crypto/sha256"
	"encoding/binary"
)

// Shards is how many shards there are. It can never change: rows carry theirs.
const Shards = 1024

// Shard is the first column of every tenant-owned table's primary key.
type Shard int16

// ShardOf gives a tenant's shard: the first two bytes of SHA-256 of its slug,
// modulo Shards. SHA-256, because a SQL function must be able to compute the
// same with nothing but PostgreSQL's own sha256().
func ShardOf(tenant string) Shard {
	sum := sha256.Sum256([]byte(tenant))
	return Shard(binary.BigEndian.Uint16(sum[:2]) % Shards)
}
