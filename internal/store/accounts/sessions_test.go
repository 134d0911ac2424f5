package accounts

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestFindSession_EndsWhenIdleByTheDatabasesTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana := w.user("ana", Viewer)
	w.open("a", ana)
	w.Advance(t, IdleTime-time.Microsecond)
	require.True(t, w.isOpen("a"))
	w.Advance(t, IdleTime-time.Microsecond)
	require.True(t, w.isOpen("a"), "it was used meanwhile")
	w.Advance(t, IdleTime)
	require.False(t, w.isOpen("a"))
}

func TestFindSession_EndsHoweverOftenItIsUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("a", w.user("ana", Viewer))
	for range int(SessionTime/IdleTime) * 2 {
		require.True(t, w.isOpen("a"))
		w.Advance(t, IdleTime/2)
	}
	require.False(t, w.isOpen("a"))
}

// Reading a page every second does not write every second.
func TestFindSession_NotesItsUseOnceAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("a", w.user("ana", Viewer))
	seen := func() (at time.Time) {
		hash := hashFor("a")
		require.NoError(t, w.pool.QueryRow(t.Context(), `SELECT seen_at FROM malote.sessions WHERE hash = $1`, hash[:]).Scan(&at))
		return at.UTC()
	}
	w.Advance(t, touchedEvery)
	require.True(t, w.isOpen("a"))
	require.Equal(t, noon, seen())
	w.Advance(t, time.Microsecond)
	require.True(t, w.isOpen("a"))
	require.Equal(t, w.Clock.Now(), seen())
}

func (w *world) tenant(slug, name string) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), `INSERT INTO malote.tenants (shard, id, name) VALUES ($1, $2, $3)`, delivery.ShardOf(slug), slug, name)
	require.NoError(w, err)
}

func (w *world) removeTenant(slug string) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), `DELETE FROM malote.tenants WHERE shard = $1 AND id = $2`, delivery.ShardOf(slug), slug)
	require.NoError(w, err)
}

func TestOpenPortal_IsOneTenantsAndShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tenant("acme", "Acme Ltda")
	require.NoError(t, w.OpenPortal(t.Context(), hashFor("p"), "acme", noon, Support, true))
	session, found, err := w.FindSession(t.Context(), hashFor("p"))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, Session{Name: "Acme Ltda", Role: Support, Tenant: "acme", Framed: true}, session)
	w.Advance(t, PortalTime-time.Microsecond)
	require.True(t, w.isOpen("p"))
	w.Advance(t, time.Microsecond)
	require.False(t, w.isOpen("p"))
}

func TestOpenPortal_OnlyOfATenantThatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, nobody := range []string{"", "acme"} {
		require.ErrorIs(t, w.OpenPortal(t.Context(), hashFor("p"), nobody, noon, Support, true), ErrNoTenant)
	}
	require.False(t, w.isOpen("p"))

	w.tenant("acme", "")
	w.Advance(t, time.Minute)
	require.NoError(t, w.OpenPortal(t.Context(), hashFor("p"), "acme", noon, Support, false))
	require.True(t, w.isOpen("p"))
	w.removeTenant("acme")
	require.False(t, w.isOpen("p"))
	w.Advance(t, time.Second)
	w.tenant("acme", "Another's")
	require.False(t, w.isOpen("p"), "this is another tenant of the same name")
	require.ErrorIs(t, w.OpenPortal(t.Context(), hashFor("q"), "acme", noon, Support, false), ErrNoTenant)
}

func TestCloseSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana := w.user("ana", Viewer)
	for _, token := range []string{"a", "b", "c"} {
		w.open(token, ana)
	}
	require.NoError(t, w.CloseSession(t.Context(), hashFor("a")))
	require.NoError(t, w.CloseSession(t.Context(), hashFor("a")))
	require.False(t, w.isOpen("a"))
	closed, err := w.CloseOtherSessions(t.Context(), ana.ID, hashFor("b"))
	require.NoError(t, err)
	require.Equal(t, 1, closed)
	require.True(t, w.isOpen("b"))
	require.False(t, w.isOpen("c"))
}

// A password takes a while to be compared; who changes it meanwhile, because
// somebody else knows it, means to shut that somebody out.
func TestOpenSession_NotWithAPasswordThatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana := w.user("ana", Viewer)
	w.open("here", ana)
	errs := atOnce(8, func(i int) error {
		if i == 0 {
			return w.SetPassword(context.Background(), ana.ID, "new hash", hashFor("here"))
		}
		return w.OpenSession(context.Background(), hashFor("thief "+string(rune('0'+i))), ana)
	})
	require.NoError(t, errs[0])
	for i, err := range errs[1:] {
		if err != nil {
			require.ErrorIs(t, err, ErrChanged)
		}
		require.False(t, w.isOpen("thief "+string(rune('1'+i))))
	}
	require.True(t, w.isOpen("here"))
	require.ErrorIs(t, w.OpenSession(t.Context(), hashFor("late"), ana), ErrChanged)
}

func TestRemoveOld_ForgetsWhatRanOutAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ana := w.user("ana", Viewer)
	remove := func() int64 {
		removed, err := w.RemoveOld(t.Context())
		require.NoError(t, err)
		return removed
	}
	w.open("idle", ana)
	w.tenant("acme", "")
	require.NoError(t, w.OpenPortal(t.Context(), hashFor("portal"), "acme", noon, Viewer, false))
	require.NoError(t, w.CreateLink(t.Context(), hashFor("link"), ana.ID))
	require.Zero(t, remove())
	w.Advance(t, PortalTime+time.Microsecond)
	require.Equal(t, int64(1), remove(), "the portal's")
	w.open("fresh", ana)
	w.Advance(t, IdleTime-PortalTime)
	require.Equal(t, int64(1), remove(), "the idle one")
	require.True(t, w.isOpen("fresh"))
	w.Advance(t, LinkTime-IdleTime+time.Microsecond)
	require.Equal(t, int64(2), remove(), "the link, and the one that is idle now")
}
