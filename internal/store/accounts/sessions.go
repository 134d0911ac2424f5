package accounts

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Hash is the SHA-256 of a token, which alone is stored.
type Hash [sha256.Size]byte

// Session says who holds a session: a user, or a customer in the portal.
type Session struct {
	UserID delivery.ID // zero in the portal
	Name   string      // of the user, or of the tenant
	Role   Role
	Tenant string // in the portal
	Framed bool
}

const (
	openSessionSQL = `INSERT INTO malote.sessions (hash, user_id, tenant, role, framed, expires_at)
		VALUES ($1, $2, $3, $4, $5, now() + $6::interval)`

	// Waits for whoever changes the user at this moment, and then looks again.
	admitUserSQL = `UPDATE malote.users SET seen_at = now() WHERE id = $1 AND password_hash = $2 AND disabled_at IS NULL`

	// A user who was disabled has no session, whatever is still stored.
	sessionSQL = `SELECT u.id, coalesce(u.name, ''), coalesce(u.role, s.role), coalesce(s.tenant, ''), s.framed,
			s.created_at, s.seen_at < now() - $3::interval
		FROM malote.sessions AS s LEFT JOIN malote.users AS u ON u.id = s.user_id
		WHERE s.hash = $1 AND s.expires_at > now() AND s.seen_at > now() - $2::interval AND u.disabled_at IS NULL`

	// A tenant that was removed and made anew under its name is another one.
	tenantSQL = `SELECT coalesce(nullif(t.name, ''), t.id) FROM malote.tenants AS t
		WHERE t.shard = $1 AND t.id = $2 AND t.created_at <= $3`

	touchSessionSQL  = `UPDATE malote.sessions SET seen_at = now() WHERE hash = $1`
	closeSessionSQL  = `DELETE FROM malote.sessions WHERE hash = $1`
	closeSessionsSQL = `DELETE FROM malote.sessions WHERE user_id = $1`
	closeOthersSQL   = `DELETE FROM malote.sessions WHERE user_id = $1 AND hash <> $2`

	removeOldSessionsSQL = `DELETE FROM malote.sessions WHERE hash IN (
		SELECT s.hash FROM malote.sessions AS s WHERE s.expires_at < now() OR s.seen_at < now() - $1::interval LIMIT $2)`
	removeOldLinksSQL = `DELETE FROM malote.user_links WHERE hash IN (
		SELECT l.hash FROM malote.user_links AS l WHERE l.expires_at < now() LIMIT $1)`
)

// OpenSession lets a user in, for SessionTime at most, or gives ErrChanged: the
// user is as it was read when the password was compared, which takes a while, and
// whoever changed the password since then meant to end what the old one opens.
func (a *Accounts) OpenSession(ctx context.Context, hash Hash, user User) error {
	return a.inTx(ctx, "opening a session", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, admitUserSQL, user.ID, user.PasswordHash)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrChanged
		}
		_, err = tx.Exec(ctx, openSessionSQL, hash[:], user.ID, text(""), text(""), false, SessionTime)
		return err
	})
}

// OpenPortal lets a tenant's people in, for PortalTime at most. ErrNoTenant: the
// tenant is not there, or was not when the link was made that they come by.
func (a *Accounts) OpenPortal(ctx context.Context, hash Hash, tenant string, linkMade time.Time, role Role, framed bool) error {
	return a.inTx(ctx, "opening a portal session", func(tx pgx.Tx) error {
		if _, err := tenantName(ctx, tx, tenant, linkMade.Add(clocksDiffer)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, openSessionSQL, hash[:], nil, text(tenant), role, framed, PortalTime)
		return err
	})
}

// clocksDiffer is by how much the clock of the process that made a link may be
// behind the database's.
const clocksDiffer = time.Minute

func tenantName(ctx context.Context, db querier, tenant string, thereSince time.Time) (name string, err error) {
	err = db.QueryRow(ctx, tenantSQL, delivery.ShardOf(tenant), tenant, thereSince).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNoTenant
	}
	return name, err
}

// FindSession says who holds a session and notes that it is used; found is false
// if it ended.
func (a *Accounts) FindSession(ctx context.Context, hash Hash) (s Session, found bool, _ error) {
	var user *delivery.ID
	var stale bool
	var opened time.Time
	err := a.pool.QueryRow(ctx, sessionSQL, hash[:], IdleTime, touchedEvery).
		Scan(&user, &s.Name, &s.Role, &s.Tenant, &s.Framed, &opened, &stale)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Session{}, false, nil
	case err != nil:
		return Session{}, false, explain("reading a session", err)
	case user != nil:
		s.UserID = *user
	default:
		s.Name, err = tenantName(ctx, a.pool, s.Tenant, opened)
	}
	if errors.Is(err, ErrNoTenant) {
		return Session{}, false, nil
	}
	if err == nil && stale {
		_, err = a.pool.Exec(ctx, touchSessionSQL, hash[:])
	}
	if err != nil {
		return Session{}, false, explain("reading a session", err)
	}
	return s, true, nil
}

// CloseSession ends one session; one that ended already is no error.
func (a *Accounts) CloseSession(ctx context.Context, hash Hash) error {
	_, err := a.pool.Exec(ctx, closeSessionSQL, hash[:])
	return explain("closing a session", err)
}

// CloseOtherSessions ends all of a user's sessions but one, and counts them.
func (a *Accounts) CloseOtherSessions(ctx context.Context, user delivery.ID, but Hash) (int, error) {
	tag, err := a.pool.Exec(ctx, closeOthersSQL, user, but[:])
	return int(tag.RowsAffected()), explain("closing sessions", err)
}

// removedAtOnce bounds a clean-up; what is left is for the next.
const removedAtOnce = 10_000

// RemoveOld forgets sessions and links that have run out.
func (a *Accounts) RemoveOld(ctx context.Context) (int64, error) {
	sessions, err := a.pool.Exec(ctx, removeOldSessionsSQL, IdleTime, removedAtOnce)
	if err != nil {
		return 0, explain("removing old sessions", err)
	}
	links, err := a.pool.Exec(ctx, removeOldLinksSQL, removedAtOnce)
	return sessions.RowsAffected() + links.RowsAffected(), explain("removing old links", err)
}
