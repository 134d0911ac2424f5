// Package accounts keeps who may open the dashboard: users, the one-time links
// that let them set a password, and sessions.
//
// It is a part of the store and may contain SQL. It must never know HTTP,
// cookies, a password or a token: passwords arrive hashed by argon2id, tokens as
// their SHA-256, so that whoever reads the database can log in with nothing in
// it. It decides nothing about what a role may do.
//
// Time is the database's: several processes share the sessions.
//
// Lock order: one advisory lock for all changes of users and links, then a user,
// then the user's links, then the user's sessions.
package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// How long things last.
const (
	LinkTime     = 24 * time.Hour
	SessionTime  = 7 * 24 * time.Hour
	IdleTime     = 12 * time.Hour // idleTime in the queries
	PortalTime   = 2 * time.Hour
	touchedEvery = time.Minute // a session's last use is written so often at most
)

// Errors that errors.Is finds.
var (
	ErrNotFound  = errors.New("there is no such user")
	ErrNameTaken = errors.New("there is already a user of this name")
	ErrLastAdmin = errors.New("this is the last administrator who can log in")
	// ErrLink: the link was used, replaced or ran out, or never was one.
	ErrLink = errors.New("the link does not work any more")
	// ErrNoTenant: there is no such tenant, or another than a link was made for.
	ErrNoTenant = errors.New("the link's tenant is not there any more")
	// ErrChanged: the user was disabled or removed, or has another password now.
	ErrChanged = errors.New("the user is not any more what was logged in")
)

// Options of New. Every zero value has a default.
type Options struct {
	Random io.Reader        // for ids; default crypto/rand
	Now    func() time.Time // for ids; default time.Now
}

// Accounts is safe for concurrent use.
type Accounts struct {
	pool   *pgxpool.Pool
	random io.Reader
	now    func() time.Time
}

// New keeps accounts in the store's database; the store stays the caller's to
// close.
func New(s *store.Store, options Options) *Accounts {
	a := &Accounts{pool: s.Pool(), random: options.Random, now: options.Now}
	if a.random == nil {
		a.random = rand.Reader
	}
	if a.now == nil {
		a.now = time.Now
	}
	return a
}

// ofNobody is the shard of ids that belong to no tenant.
const ofNobody delivery.Shard = 0

func (a *Accounts) newID() delivery.ID { return delivery.NewID(ofNobody, a.now(), a.random) }

// SQLSTATEs that this package acts on.
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
)

const tries = 4

func (a *Accounts) inTx(ctx context.Context, what string, do func(pgx.Tx) error) error {
	var err error
	for range tries {
		err = pgx.BeginFunc(ctx, a.pool, do)
		if code := sqlState(err); code != serializationFailure && code != deadlockDetected {
			break
		}
	}
	return explain(what, err)
}

func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func sqlState(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code
	}
	return ""
}

func text(s string) pgtype.Text { return pgtype.Text{String: s, Valid: s != ""} }

// instant reads a timestamptz in UTC; zero for NULL.
type instant struct{ target *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (i instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	*i.target = time.Time{}
	if v.Valid && v.InfinityModifier == pgtype.Finite {
		*i.target = v.Time.UTC()
	}
	return nil
}
