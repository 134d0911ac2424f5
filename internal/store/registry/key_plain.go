package registry

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/malotehq/malote/internal/delivery"
)

// A key's plain form is mlt_, the 26 characters of its id, _ and 32 random
// bytes in base64url. The id leads to the one row to compare with; the random
// part alone is the secret, and has so much of it that one fast hash protects
// it.
const (
	plainPrefix = "mlt_"
	idLength    = 26
	secretBytes = 32
	idEnd       = len(plainPrefix) + idLength
)

var plainLength = idEnd + 1 + base64.RawURLEncoding.EncodedLen(secretBytes)

func newPlainKey(id delivery.ID, random io.Reader) string {
	var secret [secretBytes]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		panic(fmt.Sprintf("registry: the source of randomness failed: %v", err))
	}
	suffix := id.Format(delivery.KeyPrefix)[len(delivery.KeyPrefix)+1:]
	return plainPrefix + suffix + "_" + base64.RawURLEncoding.EncodeToString(secret[:])
}

// parsePlainKey reads the id out of a plain key. It does not say whether the
// key is right.
func parsePlainKey(plain string) (delivery.ID, error) {
	if len(plain) != plainLength || plain[:len(plainPrefix)] != plainPrefix || plain[idEnd] != '_' {
		return delivery.ID{}, ErrNoKey
	}
	return delivery.ParseID(delivery.KeyPrefix, string(delivery.KeyPrefix)+"_"+plain[len(plainPrefix):idEnd])
}

func hashKey(plain string) [sha256.Size]byte { return sha256.Sum256([]byte(plain)) }
