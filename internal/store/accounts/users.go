package accounts

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Role is what a user may do in the dashboard.
type Role string

// The roles.
const (
	Viewer  Role = "viewer"
	Support Role = "support"
	Admin   Role = "admin"
)

// User is one of the operator's people.
type User struct {
	ID           delivery.ID
	Name         string
	Role         Role
	PasswordHash string // "": no password lets the user in
	External     bool   // an identity provider vouches for the user
	CreatedAt    time.Time
	PasswordAt   time.Time // zero: none was set
	SeenAt       time.Time // zero: the user never logged in
	DisabledAt   time.Time // zero: the user may log in
}

// Page asks for the users after one. The zero After is the beginning.
type Page struct {
	After delivery.ID
	Limit int
}

// Patch changes what is not nil.
type Patch struct {
	Role     *Role
	Disabled *bool
}

const userColumns = `u.id, u.name, u.role, u.password_hash, u.issuer IS NOT NULL, u.created_at, u.password_at, u.seen_at, u.disabled_at`

const (
	insertUserSQL = `INSERT INTO malote.users AS u (id, name, login, role) VALUES ($1, $2, $3, $4) RETURNING ` + userColumns

	userSQL        = `SELECT ` + userColumns + ` FROM malote.users AS u WHERE u.id = $1`
	userByLoginSQL = `SELECT ` + userColumns + ` FROM malote.users AS u WHERE u.login = $1`
	listUsersSQL   = `SELECT ` + userColumns + ` FROM malote.users AS u WHERE ($1::uuid IS NULL OR u.id > $1) ORDER BY u.id LIMIT $2`

	updateUserSQL = `UPDATE malote.users AS u
		SET role = $2, disabled_at = CASE WHEN $3::boolean THEN coalesce(u.disabled_at, now()) END
		WHERE u.id = $1 RETURNING ` + userColumns
	deleteUserSQL = `DELETE FROM malote.users WHERE id = $1`

	// Who could let others in if everybody else were gone.
	otherAdminsSQL = `SELECT count(*) FROM malote.users AS u WHERE u.role = 'admin' AND u.disabled_at IS NULL
		AND (u.password_hash <> '' OR u.issuer IS NOT NULL) AND u.id <> $1`

	// Users change rarely, and one at a time: two who each took away the other
	// administrator, or each made the first one, would not see each other.
	usersLockSQL = `SELECT pg_advisory_xact_lock(1835820033, 6)`
)

// loginOf folds a name into what is compared.
func loginOf(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Create makes a user who has no password yet.
func (a *Accounts) Create(ctx context.Context, name string, role Role) (User, error) {
	return a.CreateAs(ctx, a.newID(), name, role)
}

// CreateAs is Create under an id that the caller chose.
func (a *Accounts) CreateAs(ctx context.Context, id delivery.ID, name string, role Role) (User, error) {
	user, err := scanUser(a.pool.QueryRow(ctx, insertUserSQL, id, strings.TrimSpace(name), loginOf(name), role))
	if sqlState(err) == uniqueViolation {
		err = ErrNameTaken
	}
	return user, explain("creating a user", err)
}

// User finds a user by the id.
func (a *Accounts) User(ctx context.Context, id delivery.ID) (User, error) {
	user, err := scanUser(a.pool.QueryRow(ctx, userSQL, id))
	return user, explain("reading a user", err)
}

// UserNamed finds a user by the name, in whatever case.
func (a *Accounts) UserNamed(ctx context.Context, name string) (User, error) {
	user, err := scanUser(a.pool.QueryRow(ctx, userByLoginSQL, loginOf(name)))
	return user, explain("reading a user", err)
}

// Users lists users, the first made first.
func (a *Accounts) Users(ctx context.Context, page Page) (_ []User, more bool, _ error) {
	rows, _ := a.pool.Query(ctx, listUsersSQL, page.After, page.Limit+1)
	users, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (User, error) { return scanUser(row) })
	if len(users) > page.Limit {
		users, more = users[:page.Limit], true
	}
	return users, more, explain("listing users", err)
}

// Update changes a user. Whoever is disabled is logged out at once. The last
// administrator who can log in stays one.
func (a *Accounts) Update(ctx context.Context, id delivery.ID, patch Patch) (user User, _ error) {
	err := a.inTx(ctx, "changing a user", func(tx pgx.Tx) error {
		before, err := a.lockUser(ctx, tx, id)
		if err != nil {
			return err
		}
		role, disabled := before.Role, !before.DisabledAt.IsZero()
		if patch.Role != nil {
			role = *patch.Role
		}
		if patch.Disabled != nil {
			disabled = *patch.Disabled
		}
		if role != Admin || disabled {
			if err := keepAnAdmin(ctx, tx, before); err != nil {
				return err
			}
		}
		user, err = scanUser(tx.QueryRow(ctx, updateUserSQL, id, role, disabled))
		if err != nil || !disabled {
			return err
		}
		_, err = tx.Exec(ctx, closeSessionsSQL, id)
		return err
	})
	return user, err
}

// Delete removes a user with all sessions and links.
func (a *Accounts) Delete(ctx context.Context, id delivery.ID) error {
	return a.inTx(ctx, "deleting a user", func(tx pgx.Tx) error {
		before, err := a.lockUser(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := keepAnAdmin(ctx, tx, before); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, deleteUserSQL, id)
		return err
	})
}

func (a *Accounts) lockUser(ctx context.Context, tx pgx.Tx, id delivery.ID) (User, error) {
	if _, err := tx.Exec(ctx, usersLockSQL); err != nil {
		return User{}, err
	}
	return scanUser(tx.QueryRow(ctx, userSQL, id))
}

// canAdminister says whether the user could let others in.
func (u User) canAdminister() bool {
	return u.Role == Admin && u.DisabledAt.IsZero() && (u.PasswordHash != "" || u.External)
}

// keepAnAdmin refuses to take away the last one.
func keepAnAdmin(ctx context.Context, tx pgx.Tx, user User) error {
	if !user.canAdminister() {
		return nil
	}
	var others int
	if err := tx.QueryRow(ctx, otherAdminsSQL, user.ID).Scan(&others); err != nil {
		return err
	}
	if others == 0 {
		return ErrLastAdmin
	}
	return nil
}

func scanUser(row pgx.Row) (u User, err error) {
	err = row.Scan(
		&u.ID, &u.Name, &u.Role, &u.PasswordHash, &u.External,
		instant{&u.CreatedAt}, instant{&u.PasswordAt}, instant{&u.SeenAt}, instant{&u.DisabledAt},
	)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotFound
	}
	return u, err
}
