package pgseen

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/malotehq/malote/webhook"
)

// What claimStatement answers.
const (
	mine      = "mine"
	handled   = "handled"
	claimed   = "claimed"
	undecided = "undecided" // somebody else was at the row at the same time
)

// claimStatement makes or takes the row of an id, and never waits for the
// transaction of whoever handles it: a row that is there is not inserted again,
// and one that is held is passed by.
//
// Two may still insert at once. The second waits for the first to commit, which
// is at once, unless the first got on to its own transaction meanwhile; for that
// case there is a limit to the waiting, which ends with this statement.
const claimStatement = `WITH patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', '500ms', true)
), known AS MATERIALIZED (
    SELECT handled, until <= now() AS over FROM {table} WHERE sender = $1::text AND id = $2::text
), made AS (
    INSERT INTO {table} (sender, id, token, handled, until)
    SELECT $1::text, $2::text, $3::text::uuid, false, now() + $4::bigint * interval '1 microsecond'
    FROM patience WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (sender, id) DO NOTHING
    RETURNING 1
), free AS MATERIALIZED (
    SELECT 1 FROM {table} WHERE sender = $1::text AND id = $2::text AND until <= now() FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE {table} SET token = $3::text::uuid, handled = false, until = now() + $4::bigint * interval '1 microsecond'
    WHERE sender = $1::text AND id = $2::text AND EXISTS (SELECT FROM free)
    RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM made) OR EXISTS (SELECT FROM taken) THEN 'mine'
    ELSE coalesce((SELECT CASE WHEN over THEN 'undecided' WHEN handled THEN 'handled' ELSE 'claimed' END FROM known), 'undecided')
END`

// looks is how often a claim looks at a row that others are at.
const looks = 3

// Claim implements [webhook.Seen]. What it returns is a *[Claim].
func (s *Store) Claim(ctx context.Context, id string) (webhook.Claim, error) {
	claim := &Claim{store: s, id: storedID(id), token: newToken()}
	for range looks {
		var state string
		err := s.db.QueryRowContext(ctx, s.statements.claim,
			s.sender, claim.id, claim.token, s.lease.Microseconds()).Scan(&state)
		switch {
		case sqlState(err) == lockNotAvailable:
			return nil, webhook.ErrBeingHandled
		case isRace(err):
			continue
		case err != nil:
			return nil, s.explain("claiming an id", err)
		case state == mine:
			return claim, nil
		case state == handled:
			return nil, webhook.ErrAlreadyHandled
		case state == claimed:
			return nil, webhook.ErrBeingHandled
		}
	}
	return nil, webhook.ErrBeingHandled
}

// isRace says whether a statement failed only because of others that ran at the
// same time. Deadlocks and serialization failures come with a database whose
// default isolation is higher.
func isRace(err error) bool {
	state := sqlState(err)
	return state == serializationFailure || state == deadlock
}

// An index holds no key of more than some 2,700 bytes, and text no NUL and
// nothing but UTF-8. webhook.Handler brings no such id, but others might.
const (
	maxStoredID = 256
	hashPrefix  = "sha256:"
)

func storedID(id string) string {
	fits := len(id) <= maxStoredID && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
	if fits && !strings.HasPrefix(id, hashPrefix) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// newToken is what a claim is known by: a random UUID.
func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
