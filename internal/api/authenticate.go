package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// KeyCacheTime is for how long a key that worked is believed to work without
// asking the store again: a revoked key stops working within this time.
const KeyCacheTime = 5 * time.Second

// maxCachedKeys bounds the cache; keys beyond it are looked up every time.
const maxCachedKeys = 10_000

// maxKeyLength is more than any key has. Longer ones are refused unread.
const maxKeyLength = 512

// gate finds out who sends a request.
type gate struct {
	keys     keyFinder
	adminKey [sha256.Size]byte // hash of the fixed admin key
	hasAdmin bool

	mu     sync.RWMutex
	cached map[[sha256.Size]byte]cachedKey // by hash, so that memory holds no keys
}

type cachedKey struct {
	who   principal
	until time.Time
}

// admit gives the sender of a request with the Authorization header, or the
// reason why there is none.
func (g *gate) admit(ctx context.Context, authorization string) (principal, error) {
	plain, err := bearer(authorization)
	if err != nil {
		return principal{}, err
	}
	hash := sha256.Sum256([]byte(plain))
	if g.hasAdmin && subtle.ConstantTimeCompare(hash[:], g.adminKey[:]) == 1 {
		return principal{scope: ScopeAdmin, actor: Actor{Kind: ActorAdminKey}}, nil
	}
	g.mu.RLock()
	entry, found := g.cached[hash]
	g.mu.RUnlock()
	if found && time.Now().Before(entry.until) {
		return entry.who, nil
	}
	return g.ask(ctx, plain, hash)
}

func bearer(authorization string) (string, error) {
	scheme, plain, _ := strings.Cut(authorization, " ")
	plain = strings.TrimSpace(plain)
	switch {
	case authorization == "":
		return "", problem(Unauthenticated, "There is no API key: send one as Authorization: Bearer <key>.")
	case !strings.EqualFold(scheme, "Bearer") || plain == "":
		return "", problem(Unauthenticated, "The Authorization header must have the form Bearer <key>.")
	case len(plain) > maxKeyLength:
		return "", problem(Unauthenticated, "The API key does not work: check that it is whole and was not revoked.")
	}
	return plain, nil
}

// ask looks the key up. Keys that do not work are not remembered, so that one
// that is created works at once.
func (g *gate) ask(ctx context.Context, plain string, hash [sha256.Size]byte) (principal, error) {
	asked := time.Now()
	key, known, err := g.keys.FindKey(ctx, plain)
	if err != nil {
		return principal{}, err
	}
	if !known || !key.RevokedAt.IsZero() {
		g.mu.Lock()
		delete(g.cached, hash)
		g.mu.Unlock()
		return principal{}, problem(Unauthenticated, "The API key does not work: check that it is whole and was not revoked.")
	}
	who := principal{
		scope: key.Scope, tenant: key.Tenant,
		actor: Actor{Kind: ActorKey, ID: key.ID.Format(delivery.KeyPrefix), Name: key.Name},
	}
	g.remember(hash, cachedKey{who: who, until: asked.Add(KeyCacheTime)})
	return who, nil
}

func (g *gate) remember(hash [sha256.Size]byte, entry cachedKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.cached) >= maxCachedKeys {
		for other, old := range g.cached {
			if time.Now().After(old.until) {
				delete(g.cached, other)
			}
		}
		if len(g.cached) >= maxCachedKeys {
			return
		}
	}
	g.cached[hash] = entry
}

// keyFinder is what a gate needs of Keys.
type keyFinder interface {
	FindKey(ctx context.Context, plain string) (_ Key, known bool, _ error)
}

func newGate(keys keyFinder, admin *[sha256.Size]byte) *gate {
	g := &gate{keys: keys, cached: map[[sha256.Size]byte]cachedKey{}}
	if admin != nil {
		g.adminKey, g.hasAdmin = *admin, true
	}
	return g
}
