package dashboard

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/delivery"
)

// Hash is the SHA-256 of a token: what is stored of it.
type Hash [sha256.Size]byte

// User is somebody who may log in.
type User struct {
	ID           delivery.ID
	Name         string
	Role         page.Role
	PasswordHash string // argon2id; "": no password lets the user in
	Disabled     bool
}

// Session says who holds a session: a user, or a customer in the portal.
type Session struct {
	UserID delivery.ID // zero in the portal
	Name   string      // of the user, or of the tenant
	Role   page.Role
	Tenant string // in the portal
	Framed bool
}

// Link is a one-time link that works. First: it makes the first administrator,
// and User is the zero value.
type Link struct {
	First bool
	User  User
}

// PortalLink is a portal link that works: whom it lets see what.
type PortalLink struct {
	Tenant    string
	Role      page.Role
	CreatedAt time.Time
}

// Errors of Accounts that visitors are told of.
var (
	ErrLink = errors.New("the link does not work any more")
	// ErrChanged: the user was disabled or removed, or has another password now.
	ErrChanged = errors.New("the user is not any more what was logged in")
)

// Accounts keeps users, links and sessions; a token comes as its hash.
type Accounts interface {
	// UserNamed finds a user by the name, in whatever case.
	UserNamed(ctx context.Context, name string) (_ User, found bool, _ error)
	User(ctx context.Context, id delivery.ID) (_ User, found bool, _ error)

	// OpenSession lets a user in who still is as the user was read; else
	// ErrChanged.
	OpenSession(ctx context.Context, session Hash, user User) error
	FindSession(ctx context.Context, session Hash) (_ Session, found bool, _ error)
	// OpenPortal lets a tenant's people in; ErrLink: the tenant is not there, or is
	// another than there was when the link was made.
	OpenPortal(ctx context.Context, session Hash, link PortalLink, framed bool) error
	CloseSession(ctx context.Context, session Hash) error
	CloseOtherSessions(ctx context.Context, user delivery.ID, but Hash) (int, error)

	// FindLink does not use the link up; UseLink does, and ends the user's
	// sessions. firstName is for the first administrator.
	FindLink(ctx context.Context, link Hash) (Link, error)
	UseLink(ctx context.Context, link Hash, firstName, passwordHash string) (User, error)

	// SetPassword ends all of the user's sessions but one.
	SetPassword(ctx context.Context, user delivery.ID, passwordHash string, but Hash) error
}
