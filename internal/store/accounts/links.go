package accounts

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Link is a one-time link that works.
type Link struct {
	User User // zero: the link makes the first administrator
}

// First says whether the link makes the first administrator.
func (l Link) First() bool { return l.User.ID.IsZero() }

const (
	insertLinkSQL = `INSERT INTO malote.user_links (hash, user_id, expires_at) VALUES ($1, $2, now() + $3::interval)`

	linkSQL = `SELECT l.user_id FROM malote.user_links AS l WHERE l.hash = $1 AND l.expires_at > now()`

	removeLinksOfUserSQL = `DELETE FROM malote.user_links WHERE user_id = $1`
	removeFirstLinksSQL  = `DELETE FROM malote.user_links WHERE user_id IS NULL`

	anyUserSQL = `SELECT EXISTS (SELECT FROM malote.users)`

	setPasswordSQL = `UPDATE malote.users AS u SET password_hash = $2, password_at = now() WHERE u.id = $1 RETURNING ` + userColumns
)

// CreateLink makes a link that lets a user set a password within LinkTime. Links
// that the user has from before stop working.
func (a *Accounts) CreateLink(ctx context.Context, hash Hash, user delivery.ID) error {
	return a.inTx(ctx, "making a link", func(tx pgx.Tx) error {
		if _, err := a.lockUser(ctx, tx, user); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, removeLinksOfUserSQL, user); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertLinkSQL, hash[:], user, LinkTime)
		return err
	})
}

// CreateFirstLink makes a link that lets somebody become the first administrator
// within LinkTime, unless there are users; made says whether. Other such links go
// on working, for other processes gave them out; the first that is used ends all.
func (a *Accounts) CreateFirstLink(ctx context.Context, hash Hash) (made bool, _ error) {
	err := a.inTx(ctx, "making the first link", func(tx pgx.Tx) error {
		exists := false
		if _, err := tx.Exec(ctx, usersLockSQL); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, anyUserSQL).Scan(&exists); err != nil || exists {
			return err
		}
		_, err := tx.Exec(ctx, insertLinkSQL, hash[:], nil, LinkTime)
		made = err == nil
		return err
	})
	return made && err == nil, err
}

// FindLink says whose a link is, and does not use it up.
func (a *Accounts) FindLink(ctx context.Context, hash Hash) (Link, error) {
	link, err := a.findLink(ctx, a.pool, hash)
	return link, explain("reading a link", err)
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (a *Accounts) findLink(ctx context.Context, db querier, hash Hash) (Link, error) {
	var user *delivery.ID
	err := db.QueryRow(ctx, linkSQL, hash[:]).Scan(&user)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Link{}, ErrLink
	case err != nil:
		return Link{}, err
	case user == nil:
		var exists bool
		if err := db.QueryRow(ctx, anyUserSQL).Scan(&exists); err != nil {
			return Link{}, err
		}
		if exists {
			return Link{}, ErrLink
		}
		return Link{}, nil
	}
	found, err := scanUser(db.QueryRow(ctx, userSQL, *user))
	if err == nil && !found.DisabledAt.IsZero() {
		err = ErrLink
	}
	return Link{User: found}, err
}

// UseLink sets the password of a link's user, or makes the first administrator of
// that name, and ends the link and all of the user's sessions.
func (a *Accounts) UseLink(ctx context.Context, hash Hash, firstName, passwordHash string) (user User, _ error) {
	err := a.inTx(ctx, "using a link", func(tx pgx.Tx) error {
		// Also keeps two who follow one link at once apart.
		if _, err := tx.Exec(ctx, usersLockSQL); err != nil {
			return err
		}
		link, err := a.findLink(ctx, tx, hash)
		if err != nil {
			return err
		}
		id := link.User.ID
		if link.First() {
			id = a.newID()
			if _, err := scanUser(tx.QueryRow(ctx, insertUserSQL, id, strings.TrimSpace(firstName), loginOf(firstName), Admin)); err != nil {
				return err
			}
		}
		user, err = a.setPassword(ctx, tx, id, passwordHash)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, closeSessionsSQL, id)
		return err
	})
	return user, err
}

// setPassword also ends all links that could set another one.
func (a *Accounts) setPassword(ctx context.Context, tx pgx.Tx, id delivery.ID, passwordHash string) (User, error) {
	user, err := scanUser(tx.QueryRow(ctx, setPasswordSQL, id, passwordHash))
	if err != nil {
		return User{}, err
	}
	if _, err := tx.Exec(ctx, removeLinksOfUserSQL, id); err != nil {
		return User{}, err
	}
	_, err = tx.Exec(ctx, removeFirstLinksSQL)
	return user, err
}

// SetPassword changes a user's password and ends all of the user's sessions but
// one.
func (a *Accounts) SetPassword(ctx context.Context, id delivery.ID, passwordHash string, but Hash) error {
	return a.inTx(ctx, "setting a password", func(tx pgx.Tx) error {
		if _, err := a.setPassword(ctx, tx, id, passwordHash); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, closeOthersSQL, id, but[:])
		return err
	})
}
