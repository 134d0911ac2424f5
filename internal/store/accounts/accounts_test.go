package accounts

import (
	"context"
	"crypto/sha256"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a database with accounts in it, whose time the test moves.
type world struct {
	*testing.T
	*Accounts
	*pgtest.Clock
}

func newWorld(t *testing.T) *world {
	s, clock := pgtest.OpenAt(t, noon)
	return &world{t, New(s, Options{Now: clock.Now}), clock}
}

func hashFor(token string) Hash { return sha256.Sum256([]byte(token)) }

// user makes one who can log in.
func (w *world) user(name string, role Role) User {
	w.Helper()
	user, err := w.Create(w.Context(), name, role)
	require.NoError(w, err)
	require.NoError(w, w.CreateLink(w.Context(), hashFor("invite "+name), user.ID))
	user, err = w.UseLink(w.Context(), hashFor("invite "+name), "", "hash of "+name)
	require.NoError(w, err)
	return user
}

func (w *world) open(token string, user User) {
	w.Helper()
	require.NoError(w, w.OpenSession(w.Context(), hashFor(token), user))
}

func (w *world) isOpen(token string) bool {
	w.Helper()
	_, found, err := w.FindSession(w.Context(), hashFor(token))
	require.NoError(w, err)
	return found
}

// atOnce runs the same thing many times together and gives what each returned.
func atOnce(times int, do func(i int) error) []error {
	errs := make([]error, times)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			<-begin
			errs[i] = do(i)
		})
	}
	close(begin)
	all.Wait()
	return errs
}

// oneWon says that one of many succeeded and all others were told the reason.
func oneWon(t *testing.T, errs []error, reason error) {
	t.Helper()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		require.ErrorIs(t, err, reason)
	}
	require.Equal(t, 1, won)
}

func (w *world) users() []User {
	w.Helper()
	users, _, err := w.Users(w.Context(), Page{Limit: 100})
	require.NoError(w, err)
	return users
}

func TestUsers_NamesAreComparedInLowerCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana, err := w.Create(t.Context(), " Ana@Example.com ", Support)
	require.NoError(t, err)
	require.Equal(t, "Ana@Example.com", ana.Name)
	_, err = w.Create(t.Context(), "ana@example.COM", Viewer)
	require.ErrorIs(t, err, ErrNameTaken)
	found, err := w.UserNamed(t.Context(), "ANA@example.com")
	require.NoError(t, err)
	require.Equal(t, ana, found)
	_, err = w.UserNamed(t.Context(), "bia@example.com")
	require.ErrorIs(t, err, ErrNotFound)
}

func TestUsers_AreListedPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var made []delivery.ID
	for i := range 5 {
		user, err := w.Create(t.Context(), "user "+strconv.Itoa(i), Viewer)
		require.NoError(t, err)
		made = append(made, user.ID)
		w.Advance(t, time.Second)
	}
	var listed []delivery.ID
	for after, more := (delivery.ID{}), true; more; {
		var users []User
		var err error
		users, more, err = w.Users(t.Context(), Page{After: after, Limit: 2})
		require.NoError(t, err)
		for _, user := range users {
			after = user.ID
			listed = append(listed, user.ID)
		}
	}
	require.Equal(t, made, listed)
}

func TestUpdate_TheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := w.user("last", Admin)
	invited, err := w.Create(t.Context(), "invited", Admin) // has no password, so cannot let anybody in
	require.NoError(t, err)
	viewer, yes := Viewer, true
	for name, change := range map[string]func() error{
		"role":    func() error { _, err := w.Update(t.Context(), last.ID, Patch{Role: &viewer}); return err },
		"disable": func() error { _, err := w.Update(t.Context(), last.ID, Patch{Disabled: &yes}); return err },
		"delete":  func() error { return w.Delete(t.Context(), last.ID) },
	} {
		require.ErrorIs(t, change(), ErrLastAdmin, name)
	}
	_, err = w.Update(t.Context(), invited.ID, Patch{Role: &viewer})
	require.NoError(t, err)
	w.user("second", Admin)
	require.NoError(t, w.Delete(t.Context(), last.ID))
	require.ErrorIs(t, w.Delete(t.Context(), last.ID), ErrNotFound)
}

// Each takes another's role away, and would see an administrator left.
func TestUpdate_AdministratorsWhoRemoveEachOtherAtOnceLeaveOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var admins []User
	for i := range 6 {
		admins = append(admins, w.user("admin "+strconv.Itoa(i), Admin))
	}
	viewer, yes := Viewer, true
	errs := atOnce(len(admins), func(i int) (err error) {
		switch i % 3 {
		case 0:
			_, err = w.Update(context.Background(), admins[i].ID, Patch{Role: &viewer})
		case 1:
			_, err = w.Update(context.Background(), admins[i].ID, Patch{Disabled: &yes})
		default:
			err = w.Delete(context.Background(), admins[i].ID)
		}
		return err
	})
	refused := 0
	for _, err := range errs {
		if err != nil {
			require.ErrorIs(t, err, ErrLastAdmin)
			refused++
		}
	}
	require.Equal(t, 1, refused)
	able := 0
	for _, user := range w.users() {
		if user.canAdminister() {
			able++
		}
	}
	require.Equal(t, 1, able)
}

func TestUpdate_DisablingTakesTheDatabasesTimeAndEndsSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = func() time.Time { return noon.Add(-time.Hour) } // a process whose clock is wrong
	w.user("admin", Admin)
	ana := w.user("ana", Support)
	w.open("a", ana)
	yes, no := true, false
	w.Advance(t, time.Minute)
	disabled, err := w.Update(t.Context(), ana.ID, Patch{Disabled: &yes})
	require.NoError(t, err)
	require.Equal(t, w.Clock.Now(), disabled.DisabledAt)
	require.False(t, w.isOpen("a"))
	require.ErrorIs(t, w.OpenSession(t.Context(), hashFor("b"), ana), ErrChanged)

	w.Advance(t, time.Minute)
	again, err := w.Update(t.Context(), ana.ID, Patch{Disabled: &yes})
	require.NoError(t, err)
	require.Equal(t, disabled.DisabledAt, again.DisabledAt, "disabling again changes nothing")
	enabled, err := w.Update(t.Context(), ana.ID, Patch{Disabled: &no})
	require.NoError(t, err)
	require.Zero(t, enabled.DisabledAt)
	require.False(t, w.isOpen("a"), "what ended stays so")
}

func TestUpdate_ARoleHoldsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana := w.user("ana", Viewer)
	w.open("a", ana)
	support := Support
	_, err := w.Update(t.Context(), ana.ID, Patch{Role: &support})
	require.NoError(t, err)
	session, found, err := w.FindSession(t.Context(), hashFor("a"))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, Session{UserID: ana.ID, Name: "ana", Role: Support}, session)
}
