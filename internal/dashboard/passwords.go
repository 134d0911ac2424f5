package dashboard

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/malotehq/malote/internal/dashboard/lang"
)

// hashCost is what RFC 9106 §4 recommends where memory is scarce: 64 MiB and
// three passes, a tenth of a second or two on a small machine.
var hashCost = &argon2id.Params{Memory: 64 << 10, Iterations: 3, Parallelism: 2, SaltLength: 16, KeyLength: 32}

// hashesAtOnce bounds the memory and the cores that strangers can take by trying
// passwords.
const hashesAtOnce = 2

// hasher makes and compares hashes of passwords.
type hasher struct {
	cost  *argon2id.Params
	slots chan struct{}
	dummy func() string // the hash of a password that nobody knows
}

func newHasher(cost *argon2id.Params) *hasher {
	return &hasher{cost: cost, slots: make(chan struct{}, hashesAtOnce), dummy: sync.OnceValue(func() string {
		dummy, err := argon2id.CreateHash(newToken(), cost)
		if err != nil {
			panic(fmt.Sprintf("dashboard: hashing does not work: %v", err))
		}
		return dummy
	})}
}

func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.take(ctx); err != nil {
		return "", err
	}
	defer h.give()
	return argon2id.CreateHash(password, h.cost)
}

// matches takes as long for a user who does not exist ("": no hash) as for one
// who does.
func (h *hasher) matches(ctx context.Context, password, hash string) (bool, error) {
	if err := h.take(ctx); err != nil {
		return false, err
	}
	defer h.give()
	compared := hash
	if compared == "" {
		compared = h.dummy()
	}
	matches, err := argon2id.ComparePasswordAndHash(password, compared)
	return matches && hash != "", err
}

func (h *hasher) take(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hasher) give() { <-h.slots }

// Bounds of passwords: NIST SP 800-63B-4 §3.1.1.2 asks for 15 characters where
// nothing else protects an account, and for no rules about their kinds.
const (
	shortestPassword = 15
	longestPassword  = 256
)

// passwordFault is what is wrong with a new password; zero: nothing.
func passwordFault(password, again, name string) lang.Text {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password) || n > longestPassword:
		return passwordLongText
	case n < shortestPassword:
		return passwordShortText
	case isMonotonous(password) || strings.EqualFold(password, name):
		return passwordWeakText
	case password != again:
		return passwordAgainText
	}
	return lang.Text{}
}

// isMonotonous finds passwords of very few different characters.
func isMonotonous(password string) bool {
	seen := map[rune]bool{}
	for _, r := range password {
		seen[r] = true
	}
	return len(seen) < 5
}
