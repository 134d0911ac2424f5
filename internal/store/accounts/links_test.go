package accounts

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUseLink_TwoAtOnceUseItOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana, err := w.Create(t.Context(), "ana", Support)
	require.NoError(t, err)
	require.NoError(t, w.CreateLink(t.Context(), hashFor("l"), ana.ID))
	oneWon(t, atOnce(6, func(i int) error {
		_, err := w.UseLink(context.Background(), hashFor("l"), "", "hash "+strconv.Itoa(i))
		return err
	}), ErrLink)
	_, err = w.FindLink(t.Context(), hashFor("l"))
	require.ErrorIs(t, err, ErrLink)
}

// Several processes may have given out a link each.
func TestUseLink_ThereIsOneFirstAdministrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 6 {
		made, err := w.CreateFirstLink(t.Context(), hashFor(strconv.Itoa(i)))
		require.NoError(t, err)
		require.True(t, made)
	}
	link, err := w.FindLink(t.Context(), hashFor("0"))
	require.NoError(t, err)
	require.True(t, link.First())
	oneWon(t, atOnce(6, func(i int) error {
		_, err := w.UseLink(context.Background(), hashFor(strconv.Itoa(i)), " Ana ", "hash "+strconv.Itoa(i))
		return err
	}), ErrLink)
	users := w.users()
	require.Len(t, users, 1)
	require.Equal(t, Admin, users[0].Role)
	require.Equal(t, "Ana", users[0].Name)
	made, err := w.CreateFirstLink(t.Context(), hashFor("later"))
	require.NoError(t, err)
	require.False(t, made)
}

// An operator may make a user by hand while the first link is still about.
func TestFindLink_TheFirstOneEndsWithTheFirstUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.CreateFirstLink(t.Context(), hashFor("first"))
	require.NoError(t, err)
	_, err = w.Create(t.Context(), "ana", Admin)
	require.NoError(t, err)
	_, err = w.FindLink(t.Context(), hashFor("first"))
	require.ErrorIs(t, err, ErrLink)
	_, err = w.UseLink(t.Context(), hashFor("first"), "mallory", "hash")
	require.ErrorIs(t, err, ErrLink)
	require.Len(t, w.users(), 1)
}

func TestLinks_RunOutByTheDatabasesTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana, err := w.Create(t.Context(), "ana", Viewer)
	require.NoError(t, err)
	require.NoError(t, w.CreateLink(t.Context(), hashFor("l"), ana.ID))
	w.Advance(t, LinkTime-time.Microsecond)
	_, err = w.FindLink(t.Context(), hashFor("l"))
	require.NoError(t, err)
	w.Advance(t, time.Microsecond)
	_, err = w.FindLink(t.Context(), hashFor("l"))
	require.ErrorIs(t, err, ErrLink)
	_, err = w.UseLink(t.Context(), hashFor("l"), "", "hash")
	require.ErrorIs(t, err, ErrLink)
}

func TestCreateLink_ANewOneReplacesTheOld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana, err := w.Create(t.Context(), "ana", Viewer)
	require.NoError(t, err)
	require.NoError(t, w.CreateLink(t.Context(), hashFor("old"), ana.ID))
	require.NoError(t, w.CreateLink(t.Context(), hashFor("new"), ana.ID))
	_, err = w.FindLink(t.Context(), hashFor("old"))
	require.ErrorIs(t, err, ErrLink)
	found, err := w.FindLink(t.Context(), hashFor("new"))
	require.NoError(t, err)
	require.Equal(t, ana.ID, found.User.ID)
}

func TestUseLink_EndsAllSessionsAndOnlyOfWhoMayLogIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("admin", Admin)
	ana := w.user("ana", Viewer)
	w.open("a", ana)
	require.NoError(t, w.CreateLink(t.Context(), hashFor("l"), ana.ID))
	ana, err := w.UseLink(t.Context(), hashFor("l"), "ignored", "new hash")
	require.NoError(t, err)
	require.Equal(t, "ana", ana.Name)
	require.Equal(t, "new hash", ana.PasswordHash)
	require.Equal(t, w.Clock.Now(), ana.PasswordAt)
	require.False(t, w.isOpen("a"))

	yes := true
	require.NoError(t, w.CreateLink(t.Context(), hashFor("m"), ana.ID))
	_, err = w.Update(t.Context(), ana.ID, Patch{Disabled: &yes})
	require.NoError(t, err)
	_, err = w.UseLink(t.Context(), hashFor("m"), "", "hash")
	require.ErrorIs(t, err, ErrLink)
}

func TestSetPassword_EndsOtherSessionsAndLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana, bia := w.user("ana", Viewer), w.user("bia", Viewer)
	w.open("here", ana)
	w.open("elsewhere", ana)
	w.open("bia's", bia)
	require.NoError(t, w.CreateLink(t.Context(), hashFor("l"), ana.ID))
	require.NoError(t, w.SetPassword(t.Context(), ana.ID, "new hash", hashFor("here")))
	require.True(t, w.isOpen("here"))
	require.False(t, w.isOpen("elsewhere"))
	require.True(t, w.isOpen("bia's"))
	_, err := w.FindLink(t.Context(), hashFor("l"))
	require.ErrorIs(t, err, ErrLink)
}
