package api

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/malotehq/malote/internal/delivery"
)

// Users keeps who may open the dashboard.
type Users interface {
	CreateUser(ctx context.Context, name string, role UserRole, once Once) (_ User, created bool, _ error)
	User(ctx context.Context, id delivery.ID) (User, error)
	// UserNamed finds a user by the name, in whatever case.
	UserNamed(ctx context.Context, name string) (_ User, found bool, _ error)
	Users(ctx context.Context, page Page) (_ []User, more bool, _ error)
	UpdateUser(ctx context.Context, id delivery.ID, patch UserPatch) (User, error)
	DeleteUser(ctx context.Context, id delivery.ID) error
	// CreateUserLink ends the links that the user has from before.
	CreateUserLink(ctx context.Context, id delivery.ID) (UserLink, error)
}

// UserRole is what a user may do in the dashboard.
type UserRole string

// The roles. Each may also do what those before it may.
const (
	RoleViewer  UserRole = "viewer"
	RoleSupport UserRole = "support"
	RoleAdmin   UserRole = "admin"
)

// User is one of the operator's people.
type User struct {
	ID         delivery.ID
	Name       string
	Role       UserRole
	External   bool // an identity provider vouches for the user
	CreatedAt  time.Time
	PasswordAt time.Time // zero: none was set
	SeenAt     time.Time // zero: the user never logged in
	DisabledAt time.Time // zero: the user may log in
}

// UserPatch changes what is not nil.
type UserPatch struct {
	Role     *UserRole
	Disabled *bool
}

// UserLink lets its reader set a user's password, once. Path must not be logged.
type UserLink struct {
	Path  string // under the dashboard's address
	Lasts time.Duration
}

type userJSON struct {
	ID         string    `json:"id" example:"usr_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Name       string    `json:"name" example:"ana@example.com"`
	Role       UserRole  `json:"role" enum:"viewer,support,admin" example:"support"`
	External   bool      `json:"external" doc:"An identity provider vouches for the user."`
	CreatedAt  timestamp `json:"created_at" nullable:"false"`
	PasswordAt timestamp `json:"password_at" doc:"When the password was set; null: there is none yet."`
	SeenAt     timestamp `json:"seen_at" doc:"The last log-in; null: there was none."`
	DisabledAt timestamp `json:"disabled_at" doc:"null: the user may log in."`

	Link *userLinkJSON `json:"link,omitempty" doc:"Only in the answer to the user's creation."`
}

func showUser(u User) userJSON {
	return userJSON{
		ID: u.ID.Format(delivery.UserPrefix), Name: u.Name, Role: u.Role, External: u.External, CreatedAt: timestamp{u.CreatedAt},
		PasswordAt: timestamp{u.PasswordAt}, SeenAt: timestamp{u.SeenAt}, DisabledAt: timestamp{u.DisabledAt},
	}
}

type userLinkJSON struct {
	Path    string  `json:"path" example:"/welcome/…" doc:"Under the dashboard's address. Whoever opens it sets the password of the user: hand it to nobody else. Only in this answer: it is stored as a hash."`
	URL     *string `json:"url" example:"https://malote.example.com/welcome/…" doc:"The whole address; null: this server does not know its public one (--public-url)."`
	Seconds int64   `json:"expires_in_seconds" example:"86400" doc:"How long it works, unless it is used or another one is made before."`
}

func (s *server) showUserLink(link UserLink) userLinkJSON {
	view := userLinkJSON{Path: link.Path, Seconds: int64(link.Lasts / time.Second)}
	if s.PublicURL != "" {
		view.URL = new(s.PublicURL + link.Path)
	}
	return view
}

type newUserJSON struct {
	Name string   `json:"name" minLength:"1" maxLength:"200" doc:"An e-mail address, or another name to log in with. Upper and lower case are the same."`
	Role UserRole `json:"role" enum:"viewer,support,admin" doc:"What the user may do in the dashboard: look; also replay, resolve and pause; also set up and let others in."`
}

type userPatchJSON struct {
	Role *UserRole `json:"role,omitempty" enum:"viewer,support,admin" doc:"What the user may do in the dashboard, from the next page on."`
}

type userPath struct {
	ID string `path:"id" doc:"The user's id."`
}

type createUserInput struct {
	OncePerKey
	Body newUserJSON
}

type updateUserInput struct {
	ID   string `path:"id" doc:"The user's id."`
	Body userPatchJSON
}

type listUsersInput struct {
	Paging
	Name string `query:"name" maxLength:"200" doc:"Only the user of this name, in whatever case."`
}

type userAnswer struct{ Body userJSON }

type createUserAnswer struct {
	Status int
	Body   userJSON
}

type userLinkAnswer struct{ Body userLinkJSON }

// checkUserName takes what can be read aloud and typed.
func checkUserName(name string) error {
	if strings.TrimSpace(name) == "" {
		return fault("name", "must not be empty")
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return fault("name", "must hold printable characters only")
	}
	return nil
}

func subjectOfUser(u User, detail string) Subject {
	return Subject{Kind: SubjectUser, ID: u.ID.Format(delivery.UserPrefix), Detail: u.Name + detail}
}
