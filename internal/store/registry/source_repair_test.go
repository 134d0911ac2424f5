package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

func TestRepairSource_FindsOneWithoutLookingAtOthers(t *testing.T) {
	t.Parallel()
	r := openSealed(t, pgtest.DSN(t), newKey())
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	var made []Source
	for _, tenant := range []string{"acme", "acme", "globex"} {
		spec := newSource(tenant)
		spec.Settings = json.RawMessage(`{"of": "` + tenant + `"}`)
		spec.Secrets = append(spec.Secrets, SourceSecret{Name: "api", Role: RoleRepair, Value: "hush"})
		source, _, err := r.CreateSource(t.Context(), spec, Once{})
		require.NoError(t, err)
		made = append(made, source)
	}
	execute(t, r, `UPDATE malote.source_secrets SET value = 'x' WHERE source_id <> $1`, made[0].ID)
	_, _, err := r.RotateSourceSecret(t.Context(), AnyTenant, made[0].ID, SourceSecret{Name: "2", Role: RoleRepair, Value: "hush 2"}, time.Hour, Once{})
	require.NoError(t, err)
	found, err := r.RepairSource(t.Context(), made[0].ID)
	require.NoError(t, err, "others' trouble is not this one's")
	require.Equal(t, made[0].ID, found.ID)
	require.Equal(t, "acme", found.Tenant)
	require.Equal(t, "github", found.Provider)
	require.Equal(t, `{"of": "acme"}`, string(found.Settings))
	require.Equal(t, "hush 2", found.Token.Value, "the newest")
	require.WithinDuration(t, time.Now(), found.CreatedAt, time.Minute)
	_, err = r.RepairSource(t.Context(), made[1].ID)
	require.ErrorIs(t, err, seal.ErrBroken)

	_, err = r.PauseSource(t.Context(), AnyTenant, made[0].ID)
	require.NoError(t, err)
	require.NoError(t, r.DeleteSource(t.Context(), AnyTenant, made[1].ID))
	for _, id := range []delivery.ID{made[0].ID, made[1].ID, addSource(t, r, "acme").ID, r.newID(3), {}} {
		_, err := r.RepairSource(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSource)
	}
}

var errTokenMoves = errors.New("the token would go elsewhere")

// moveSettings is a change that the guard forbids, and the guard.
func moveSettings(ctx context.Context, r *Registry, source delivery.ID) error {
	_, err := r.UpdateGuardedSource(ctx, OfTenant("acme"), source, SourceChange{
		Name: ptr("moved"), Settings: func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"to":"b"}`), nil },
	}, func(present, changed json.RawMessage) error {
		if string(present) == string(changed) {
			return nil
		}
		return fmt.Errorf("from %s to %s: %w", present, changed, errTokenMoves)
	})
	return err
}

func TestUpdateGuardedSource_AsksWhileThereIsALiveToken(t *testing.T) {
	t.Parallel()
	start := time.Date(2031, time.May, 4, 10, 0, 0, 0, time.UTC)
	s, clock := pgtest.OpenAt(t, start)
	r := New(s, Options{Now: clock.Now})
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	add := func(source delivery.ID, name string) delivery.ID {
		added, _, err := r.AddSourceSecret(t.Context(), AnyTenant, source, SourceSecret{Name: name, Role: RoleRepair, Value: name}, Once{})
		require.NoError(t, err)
		return added.ID
	}
	bare, revoked, expired := addSource(t, r, "acme"), addSource(t, r, "acme"), addSource(t, r, "acme")
	require.NoError(t, moveSettings(t.Context(), r, bare.ID), "it has none")
	add(bare.ID, "late")
	require.NoError(t, moveSettings(t.Context(), r, bare.ID), "the guard allows what changes nothing")

	token := add(revoked.ID, "1")
	err := moveSettings(t.Context(), r, revoked.ID)
	require.ErrorIs(t, err, errTokenMoves)
	require.ErrorContains(t, err, `from {} to {"to":"b"}`)
	after, err := r.Source(t.Context(), AnyTenant, revoked.ID)
	require.NoError(t, err)
	require.Equal(t, "{}", string(after.Settings))
	require.Equal(t, "a source", after.Name)
	require.NoError(t, r.RevokeSourceSecret(t.Context(), AnyTenant, revoked.ID, token))
	require.NoError(t, moveSettings(t.Context(), r, revoked.ID))

	add(expired.ID, "1")
	newer, _, err := r.RotateSourceSecret(t.Context(), AnyTenant, expired.ID, SourceSecret{Name: "2", Role: RoleRepair, Value: "2"}, time.Minute, Once{})
	require.NoError(t, err)
	require.NoError(t, r.RevokeSourceSecret(t.Context(), AnyTenant, expired.ID, newer.ID))
	require.ErrorIs(t, moveSettings(t.Context(), r, expired.ID), errTokenMoves, "an older one is still taken")
	clock.Advance(t, time.Minute)
	require.NoError(t, moveSettings(t.Context(), r, expired.ID))

	theirs := addSource(t, r, "globex")
	require.ErrorIs(t, moveSettings(t.Context(), r, theirs.ID), ErrNoSource)
}

// A token that is being added when somebody changes where it goes, is seen.
func TestUpdateGuardedSource_WaitsForATokenThatIsBeingAdded(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	moved := make(chan error, 1)
	require.NoError(t, r.inTx(t.Context(), "adding", func(tx pgx.Tx) error {
		return changeSource(t.Context(), tx, AnyTenant, source.ID, func() error {
			go func() { moved <- moveSettings(t.Context(), r, source.ID) }()
			require.Eventually(t, func() bool {
				return one[bool](t, r, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`)
			}, 10*time.Second, 5*time.Millisecond)
			_, err := r.insertSourceSecret(t.Context(), tx, source.ID, r.newID(source.ID.Shard()), SourceSecret{Role: RoleRepair, Value: "hush"})
			return err
		})
	}))
	require.ErrorIs(t, <-moved, errTokenMoves)
	after, err := r.Source(t.Context(), AnyTenant, source.ID)
	require.NoError(t, err)
	require.Equal(t, "{}", string(after.Settings))
}
