package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestRepairSources_ThoseWithASecretForIt(t *testing.T) {
	t.Parallel()
	r := openSealed(t, pgtest.DSN(t), newKey())
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	want := make(map[delivery.ID]string)
	var made []Source
	for i, tenant := range []string{"acme", "globex", "acme", "acme", "acme"} {
		spec := newSource(tenant)
		spec.Settings = json.RawMessage(fmt.Sprintf(`{"n": %d}`, i))
		source, _, err := r.CreateSource(t.Context(), spec, Once{})
		require.NoError(t, err)
		made = append(made, source)
		if i == 0 {
			continue // has none
		}
		_, _, err = r.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Name: "api", Role: RoleRepair, Value: "hush"}, Once{})
		require.NoError(t, err)
		want[source.ID] = "hush"
	}
	_, _, err := r.RotateSourceSecret(t.Context(), AnyTenant, made[1].ID, SourceSecret{Name: "2", Role: RoleRepair, Value: "hush 2"}, time.Hour, Once{})
	require.NoError(t, err)
	want[made[1].ID] = "hush 2"
	_, err = r.PauseSource(t.Context(), AnyTenant, made[2].ID)
	require.NoError(t, err)
	require.NoError(t, r.DeleteSource(t.Context(), AnyTenant, made[3].ID))
	delete(want, made[2].ID)
	delete(want, made[3].ID)

	list := func() (map[delivery.ID]string, error) {
		sources, err := r.RepairSources(t.Context())
		found := make(map[delivery.ID]string)
		for _, source := range sources {
			found[source.ID] = source.Token.Value
			require.Equal(t, "github", source.Provider)
			at := slices.IndexFunc(made, func(s Source) bool { return s.ID == source.ID })
			require.Equal(t, string(made[at].Settings), string(source.Settings))
			require.Equal(t, delivery.ShardOf(source.Tenant), source.ID.Shard())
			require.WithinDuration(t, time.Now(), source.CreatedAt, time.Minute)
		}
		require.Len(t, found, len(sources))
		return found, err
	}
	found, err := list()
	require.NoError(t, err)
	require.Equal(t, want, found)

	execute(t, r, `UPDATE malote.source_secrets SET value = 'x' WHERE name = 'api' AND source_id = $1`, made[4].ID)
	delete(want, made[4].ID)
	found, err = list()
	require.ErrorIs(t, err, seal.ErrBroken)
	require.Equal(t, want, found, "the others go on")
}
