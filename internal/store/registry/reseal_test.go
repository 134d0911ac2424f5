package registry

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// opened is every stored value, opened.
func opened(t *testing.T, r *Registry) map[string]bool {
	t.Helper()
	const anyKey = "none of the keys"
	values := make(map[string]bool)
	for _, column := range sealedColumns {
		rows, _ := r.pool.Query(t.Context(), column.behind, anyKey)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sealedRow])
		require.NoError(t, err)
		for _, row := range found {
			var id delivery.ID
			var value []byte
			var keyID string
			require.NoError(t, r.pool.QueryRow(t.Context(), column.lock, row.Shard, []delivery.ID{row.ID}, anyKey).Scan(&id, &value, &keyID))
			plain, err := r.sealer.Open(value, column.context(id), keyID)
			require.NoError(t, err)
			values[column.name+" "+string(plain)] = true
		}
	}
	return values
}

// furnish makes tenants with secrets, secret headers and sources.
func furnish(t *testing.T, r *Registry, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		tenant := fmt.Sprintf("tenant-%d", i)
		addTenant(t, r, tenant)
		_, _, err := r.CreateEndpoint(t.Context(), NewEndpoint{
			Tenant: tenant, Policy: "standard", Secrets: []string{fmt.Sprintf("whsec_%d", i), fmt.Sprintf("whsec_older_%d", i)},
			SecretHeaders: map[string]string{"X-Key": fmt.Sprint(i)},
		}, standard, Once{})
		require.NoError(t, err)
		addEndpoint(t, r, tenant) // without secret headers
		source := newSource(tenant)
		source.Secrets[0].Value = fmt.Sprintf("source %d", i)
		_, _, err = r.CreateSource(t.Context(), source, Once{})
		require.NoError(t, err)
	}
}

func TestReseal_MovesAllToTheCurrentKey(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first, second := newKey(), newKey()
	furnish(t, openSealed(t, dsn, seal.Key{}), 0, 2)
	furnish(t, openSealed(t, dsn, first), 2, 5)
	both := openSealed(t, dsn, second, first)
	furnish(t, both, 5, 6)
	before := opened(t, both)
	inUse, err := both.KeysInUse(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{"": 10, first.ID(): 15, second.ID(): 5}, inUse)

	var seen [][2]int
	changed, err := both.Reseal(t.Context(), func(done, total int) { seen = append(seen, [2]int{done, total}) })
	require.NoError(t, err)
	require.Equal(t, 25, changed)
	require.Equal(t, [2]int{0, 25}, seen[0])
	require.Equal(t, [2]int{25, 25}, seen[len(seen)-1])
	require.IsIncreasing(t, firsts(seen))

	inUse, err = both.KeysInUse(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{second.ID(): 30}, inUse)
	require.Equal(t, before, opened(t, openSealed(t, dsn, second)), "without the older key, everything is still there")
	changed, err = both.Reseal(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, changed, "a second time there is nothing to do")

	changed, err = openSealed(t, dsn, seal.Key{}, second).Reseal(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 30, changed)
	require.Equal(t, before, opened(t, openSealed(t, dsn, seal.Key{})), "without a current key, all is opened for good")
}

func firsts(pairs [][2]int) (list []int) {
	for _, pair := range pairs {
		list = append(list, pair[0])
	}
	return list
}

func TestReseal_LeavesWhatDoesNotOpenAndSaysSo(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	lost, first, second := newKey(), newKey(), newKey()
	furnish(t, openSealed(t, dsn, lost), 0, 1)
	furnish(t, openSealed(t, dsn, first), 1, 3)
	r := openSealed(t, dsn, second, first)
	var broken delivery.ID
	require.NoError(t, r.pool.QueryRow(t.Context(), `UPDATE malote.endpoint_secrets SET value = value || '\x00'
		WHERE id = (SELECT id FROM malote.endpoint_secrets WHERE key_id = $1 ORDER BY id LIMIT 1) RETURNING id`, first.ID()).Scan(&broken))

	changed, err := r.Reseal(t.Context(), nil)
	require.Equal(t, 9, changed)
	require.Error(t, err)
	require.ErrorContains(t, err, "6 values")
	require.True(t, errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrBroken), "by which of them is first: %v", err)
	inUse, err := r.KeysInUse(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{lost.ID(): 5, first.ID(): 1, second.ID(): 9}, inUse)

	require.Equal(t, first.ID(), one[string](t, r, `SELECT key_id FROM malote.endpoint_secrets WHERE id = $1`, broken))
	changed, err = openSealed(t, dsn, second, first, lost).Reseal(t.Context(), nil)
	require.Equal(t, 5, changed, "it goes on where it stopped")
	require.ErrorIs(t, err, seal.ErrBroken)
	require.ErrorContains(t, err, broken.Format(delivery.SecretPrefix))
}

func TestReseal_CanBeStopped(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	furnish(t, openSealed(t, dsn, seal.Key{}), 0, 4) // in several shards, so in several batches
	r := openSealed(t, dsn, newKey())
	ctx, stop := context.WithCancel(t.Context())
	changed, err := r.Reseal(ctx, func(done, _ int) {
		if done > 0 {
			stop()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, changed)
	require.Less(t, changed, 20)
	rest, err := r.Reseal(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 20, changed+rest)
}

// While secrets are rotated, revoked and deleted, none is lost or left behind.
func TestReseal_WhileServing(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first, second := newKey(), newKey()
	old, new := openSealed(t, dsn, first, second), openSealed(t, dsn, second, first)
	addTenant(t, old, "acme")
	endpoints := make([]Endpoint, 4)
	for i := range endpoints {
		endpoints[i] = addEndpoint(t, old, "acme")
	}
	for _, err := range atOnce(6, func(i int) error {
		for round := range 8 {
			var err error
			switch {
			case i < 4:
				_, _, err = old.RotateSecret(t.Context(), AnyTenant, endpoints[i].ID, fmt.Sprintf("whsec_%d", round), time.Hour, Once{})
			default:
				_, err = new.Reseal(t.Context(), nil)
			}
			if err != nil {
				return err
			}
		}
		if i == 3 {
			return old.DeleteEndpoint(t.Context(), AnyTenant, endpoints[i].ID)
		}
		return nil
	}) {
		require.NoError(t, err)
	}
	_, err := new.Reseal(t.Context(), nil)
	require.NoError(t, err)
	inUse, err := new.KeysInUse(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{second.ID(): 3 * 9}, inUse)
	require.Len(t, opened(t, new), 9)
	for _, endpoint := range endpoints[:3] {
		live, err := new.Secrets(t.Context(), AnyTenant, endpoint.ID)
		require.NoError(t, err)
		require.Len(t, live, 9)
	}
}
