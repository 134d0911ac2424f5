package notices

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
)

const disabled = delivery.SignalKind("endpoint_disabled")

var dead = []delivery.SignalKind{delivery.DeliveryDead}

func TestTell_OperatorsHearOfAllTenantsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tenant("acme", delivery.Contacts{TechnicalContact: "dev@acme.example"})
	second, first := w.raise("acme", delivery.DeliveryDead, time.Second), w.raise("other", delivery.DeliveryDead, time.Minute)
	w.raise("acme", disabled, 0)
	kinds, err := w.UntoldKinds(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []delivery.SignalKind{delivery.DeliveryDead, disabled}, kinds)

	require.NoError(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: dead}, 10, func(untold delivery.Untold) delivery.Telling {
		require.Equal(t, []delivery.ID{first, second}, ids(untold.Signals), "in the order in which they were raised")
		require.Empty(t, untold.Last)
		require.WithinDuration(t, time.Now(), untold.Now, time.Minute)
		require.Equal(t, "dev@acme.example", untold.Contacts["acme"].TechnicalContact)
		require.Contains(t, untold.Contacts, "other", "a tenant that is gone is none")
		return everything(untold)
	}))
	kinds, err = w.UntoldKinds(t.Context())
	require.NoError(t, err)
	require.Equal(t, []delivery.SignalKind{disabled}, kinds)
	require.NoError(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: dead}, 10, func(delivery.Untold) delivery.Telling {
		t.Error("there is nothing to tell")
		return delivery.Telling{}
	}))

	w.raise("acme", delivery.DeliveryDead, 0)
	require.NoError(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: dead}, 10, func(untold delivery.Untold) delivery.Telling {
		require.WithinDuration(t, untold.Now, untold.Last[delivery.DeliveryDead], time.Minute)
		return delivery.Telling{} // it waits
	}))
	kinds, err = w.UntoldKinds(t.Context())
	require.NoError(t, err)
	require.Contains(t, kinds, delivery.DeliveryDead)
}

func TestTell_SeesTheOldestAndTheHostOfAnEndpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tenant("acme", delivery.Contacts{})
	var oldest []delivery.ID
	for i := range 5 {
		oldest = append(oldest, w.raise("acme", delivery.DeliveryDead, time.Duration(10-i)*time.Minute))
	}
	endpoint := oldest[0]
	w.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) VALUES ($1, $2, 'acme', 'https://hooks.acme.example/T0/secret', 'standard')`,
		endpoint.Shard(), endpoint)
	w.exec(`UPDATE malote.signals SET endpoint_id = $1`, endpoint)
	require.NoError(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: dead}, 3, func(untold delivery.Untold) delivery.Telling {
		require.Equal(t, oldest[:3], ids(untold.Signals))
		require.Equal(t, map[delivery.ID]string{endpoint: "hooks.acme.example"}, untold.Hosts, "the rest of a URL may be a secret")
		return everything(untold)
	}))
	require.Equal(t, 2, scalar[int](w, `SELECT count(*)::int FROM malote.signals WHERE told_at IS NULL`))
}

// The notice and what it settles are one transaction.
func TestTell_I10_NothingIsSettledWithoutItsNotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.raise("acme", delivery.DeliveryDead, 0)
	w.exec(`ALTER TABLE malote.notices ADD CONSTRAINT refused CHECK (false) NOT VALID`)
	require.Error(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: dead}, 10, everything))
	require.Equal(t, 1, scalar[int](w, `SELECT count(*)::int FROM malote.signals WHERE told_at IS NULL`))
	require.Zero(t, scalar[int](w, `SELECT count(*)::int FROM malote.notice_windows WHERE last_at > '-infinity'`))
}

func TestTell_ManyProcessesTellOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20 {
		w.raise("acme", delivery.DeliveryDead, 0)
	}
	w.tenant("acme", delivery.Contacts{AlertEmails: []string{"ops@acme.example"}})
	for _, group := range []delivery.NoticeGroup{{Kinds: dead}, {Tenant: "acme", Kinds: dead}} {
		var all errgroup.Group
		for range 6 {
			all.Go(func() error {
				return w.Tell(t.Context(), group, 5, func(untold delivery.Untold) delivery.Telling {
					if !untold.Last[delivery.DeliveryDead].IsZero() {
						return delivery.Telling{}
					}
					telling := everything(untold)
					telling.Notices[0].Key += group.Tenant
					return telling
				})
			})
		}
		require.NoError(t, all.Wait())
	}
	pending, err := w.Pending(t.Context(), 100)
	require.NoError(t, err)
	require.Len(t, pending, 2, "one each")
	require.Equal(t, 15, scalar[int](w, `SELECT count(*)::int FROM malote.signals WHERE told_at IS NULL`))
	require.Equal(t, 15, scalar[int](w, `SELECT count(*)::int FROM malote.signals WHERE mailed_at IS NULL`))
}

func groups(t *testing.T, w *world) (list []delivery.NoticeGroup) {
	t.Helper()
	list, err := w.UnmailedGroups(t.Context(), time.Minute, 100)
	require.NoError(t, err)
	return list
}

func TestDracma_D08_OnlyTenantsWithAddressesAreMailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tenant("acme", delivery.Contacts{AlertEmails: []string{"ops@acme.example"}})
	w.tenant("none", delivery.Contacts{TechnicalContact: "dev@none.example"})
	w.tenant(delivery.OwnTenant, delivery.Contacts{AlertEmails: []string{"ops@example.com"}, TechnicalContact: "ops@example.com"})
	for _, tenant := range []string{"acme", "none", "gone", delivery.OwnTenant} {
		w.raise(tenant, delivery.DeliveryDead, 0)
		w.raise(tenant, disabled, 0)
		w.raise(tenant, delivery.ManyFailures, 0) // for operators alone
	}
	forgotten, err := w.ForgetUnmailable(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, 6, forgotten)
	want := []delivery.NoticeGroup{{Tenant: "acme", Kinds: dead}, {Tenant: "none", Kinds: []delivery.SignalKind{disabled}}}
	require.ElementsMatch(t, want, groups(t, w))

	require.NoError(t, w.Tell(t.Context(), want[0], 10, func(untold delivery.Untold) delivery.Telling {
		require.Len(t, untold.Signals, 1)
		require.Equal(t, []string{"ops@acme.example"}, untold.Contacts["acme"].AlertEmails)
		return everything(untold)
	}))
	require.Equal(t, want[1:], groups(t, w))
	require.Equal(t, 12, scalar[int](w, `SELECT count(*)::int FROM malote.signals WHERE told_at IS NULL`), "operators are another matter")

	w.raise("acme", delivery.DeliveryDead, 0)
	require.Equal(t, want[1:], groups(t, w), "it waits for its window")
	w.exec(`UPDATE malote.notice_windows SET last_at = last_at - interval '1 minute'`)
	require.ElementsMatch(t, want, groups(t, w))

	forgotten, err = w.ForgetUnmailable(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, 2, forgotten, "nothing can be mailed")
	require.Empty(t, groups(t, w))
}

func TestPending_UntilItIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	notice := delivery.Notice{Key: "sig_1/mail/1", Kind: disabled, Type: "malote.mail.x", Data: []byte("{\"a\": \"\\u0000é\"}"), To: "ops@acme.example", OccurredAt: at}
	w.raise("acme", disabled, 0)
	require.NoError(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: []delivery.SignalKind{disabled}}, 1, func(untold delivery.Untold) delivery.Telling {
		other := notice
		other.Key, other.To = "sig_1", ""
		return delivery.Telling{Notices: []delivery.Notice{notice, other}, Settled: ids(untold.Signals)}
	}))
	pending, err := w.Pending(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, pending, 2)
	pending[1].OccurredAt = pending[1].OccurredAt.UTC()
	require.Equal(t, notice, pending[1])
	require.NoError(t, w.Remove(t.Context(), []string{"sig_1"}))
	require.NoError(t, w.Remove(t.Context(), []string{"sig_1", "sig_1/mail/1"}))
	pending, err = w.Pending(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, pending)
}

func TestCleanUp_ForgetsOldWindows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []string{"old", "new"} {
		w.exec(`INSERT INTO malote.notice_windows (shard, tenant, kind, last_at) VALUES (1, 'acme', $1, now())`, kind)
	}
	w.exec(`UPDATE malote.notice_windows SET last_at = now() - interval '91 days' WHERE kind = 'old'`)
	removed, err := w.CleanUp(t.Context(), time.Now())
	require.NoError(t, err)
	require.EqualValues(t, 1, removed)
	require.Equal(t, "new", scalar[string](w, `SELECT kind FROM malote.notice_windows`))
}

func TestTell_SaysWhatFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`ALTER TABLE malote.signals RENAME TO hidden`)
	_, err := w.UntoldKinds(t.Context())
	require.ErrorContains(t, err, "looking for signals to tell of")
	_, err = w.ForgetUnmailable(t.Context(), true)
	require.ErrorContains(t, err, "passing over")
	_, err = w.UnmailedGroups(t.Context(), time.Minute, 1)
	require.ErrorContains(t, err, "signals to mail")
	err = w.Tell(t.Context(), delivery.NoticeGroup{Kinds: dead}, 1, everything)
	require.ErrorContains(t, err, "telling of signals")
	require.NotNil(t, errors.Unwrap(err))
}
