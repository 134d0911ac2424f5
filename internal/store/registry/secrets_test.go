package registry

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestSecret_D14_RotationOverlaps(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	old := endpoint.Secrets[0].ID

	made, created, err := r.RotateSecret(t.Context(), OfTenant("acme"), endpoint.ID, "whsec_new", time.Hour, Once{})
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, "whsec_new", made.Value)
	live, err := r.Secrets(t.Context(), OfTenant("acme"), endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{made.ID, old}, secretIDs(live), "the new one signs first, the old one with it")
	require.Zero(t, live[0].ExpiresAt)
	require.WithinDuration(t, time.Now().Add(time.Hour), live[1].ExpiresAt, time.Minute)
	for _, secret := range live {
		require.Empty(t, secret.Value)
	}

	// A longer overlap does not prolong what was to end sooner.
	third, _, err := r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_third", 2*time.Hour, Once{})
	require.NoError(t, err)
	live, err = r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{third.ID, made.ID, old}, secretIDs(live))
	require.WithinDuration(t, time.Now().Add(2*time.Hour), live[1].ExpiresAt, time.Minute)
	require.WithinDuration(t, time.Now().Add(time.Hour), live[2].ExpiresAt, time.Minute)

	last, _, err := r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_last", 0, Once{})
	require.NoError(t, err)
	live, err = r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{last.ID}, secretIDs(live), "without an overlap the old ones end at once")
}

func secretIDs(secrets []delivery.Secret) (ids []delivery.ID) {
	for _, secret := range secrets {
		ids = append(ids, secret.ID)
	}
	return ids
}

func TestSecret_D14_AddAndRevoke(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	old := endpoint.Secrets[0].ID
	added, _, err := r.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_second", Once{})
	require.NoError(t, err)
	live, err := r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{added.ID, old}, secretIDs(live))

	other := addEndpoint(t, r, "acme")
	require.ErrorIs(t, r.RevokeSecret(t.Context(), AnyTenant, other.ID, added.ID), ErrNoSecret, "it is another endpoint's")
	for _, id := range []delivery.ID{added.ID, old} { // D13: even the last one
		require.NoError(t, r.RevokeSecret(t.Context(), AnyTenant, endpoint.ID, id))
		require.ErrorIs(t, r.RevokeSecret(t.Context(), AnyTenant, endpoint.ID, id), ErrNoSecret)
	}
	require.Zero(t, one[int](t, r, `SELECT count(*) FROM malote.endpoint_secrets WHERE endpoint_id = $1`, endpoint.ID),
		"a revoked secret's value is forgotten")
}

func TestSecret_S05_NotTwiceOnOneEndpoint(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	_, _, err := r.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_first", Once{})
	require.ErrorIs(t, err, ErrSecretExists)
	_, _, err = r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_first", time.Hour, Once{})
	require.ErrorIs(t, err, ErrSecretExists)
	live, err := r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Len(t, live, 1)
	require.Zero(t, live[0].ExpiresAt)
}

// However many rotate at once, one secret stays: the one that signs first.
func TestSecret_ConcurrentRotations(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	endpoint := addEndpoint(t, first, "acme")
	for _, err := range atOnce(8, func(i int) error {
		_, _, err := []*Registry{first, second}[i%2].RotateSecret(t.Context(), AnyTenant, endpoint.ID,
			fmt.Sprintf("whsec_%d", i), time.Hour, Once{})
		return err
	}) {
		require.NoError(t, err)
	}
	live, err := first.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Len(t, live, 9)
	require.Zero(t, live[0].ExpiresAt)
	for _, secret := range live[1:] {
		require.NotZero(t, secret.ExpiresAt)
	}
}

// A rotation that had to wait for another is the newer of the two.
func TestSecret_TheLastRotationSignsFirst(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	endpoint := addEndpoint(t, first, "acme")
	tx, err := first.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = lockLane(t.Context(), tx, AnyTenant, endpoint.ID)
	require.NoError(t, err)

	rotated := make(chan error, 1)
	var waited delivery.Secret
	go func() {
		var err error
		waited, _, err = second.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_waited", time.Hour, Once{})
		rotated <- err
	}()
	require.Eventually(t, func() bool {
		return one[bool](t, first, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`)
	}, 20*time.Second, 5*time.Millisecond)
	overtaking := first.newID(endpoint.ID.Shard())
	_, err = tx.Exec(t.Context(), `INSERT INTO malote.endpoint_secrets (shard, id, endpoint_id, value, created_at)
		VALUES ($1, $2, $3, 'whsec_overtaking', clock_timestamp())`, endpoint.ID.Shard(), overtaking, endpoint.ID)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-rotated)

	live, err := first.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{waited.ID, overtaking, endpoint.Secrets[0].ID}, secretIDs(live))
	require.NotZero(t, live[1].ExpiresAt)
}

func TestSecrets_S05_ABoundedNumberSigns(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	live, err := r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	for n := len(live); n < MaxSecrets; n++ {
		_, _, err := r.AddSecret(t.Context(), AnyTenant, endpoint.ID, fmt.Sprintf("whsec_%d", n), Once{})
		require.NoError(t, err)
	}
	_, _, err = r.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_more", Once{})
	require.ErrorIs(t, err, ErrTooManySecrets)
	_, _, err = r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_more", time.Hour, Once{})
	require.ErrorIs(t, err, ErrTooManySecrets)
	live, err = r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.NoError(t, r.RevokeSecret(t.Context(), AnyTenant, endpoint.ID, live[0].ID))
	_, _, err = r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_more", time.Hour, Once{})
	require.NoError(t, err)
}
