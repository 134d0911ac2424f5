package registry

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestSourceForDoor_AllThatARequestNeeds(t *testing.T) {
	t.Parallel()
	r := openSealed(t, pgtest.DSN(t), newKey())
	addTenant(t, r, "acme")
	made, _, err := r.CreateSource(t.Context(), NewSource{
		Tenant: "acme", Name: "Meta", Provider: "meta", Settings: json.RawMessage(`{"w": "5m"}`),
		Secrets: []SourceSecret{
			{Name: "app", Role: RoleSignature, Value: "hush app"}, {Name: "verify", Role: RoleHandshake, Value: "hush verify"},
			{Name: "api", Role: RoleRepair, Value: "hush api"},
		},
	}, Once{})
	require.NoError(t, err)
	door, err := r.SourceForDoor(t.Context(), made.ID)
	require.NoError(t, err)
	require.Equal(t, DoorSource{
		ID: made.ID, Tenant: "acme", Name: "Meta", Provider: "meta", Settings: json.RawMessage(`{"w": "5m"}`), Version: 1,
		Secrets: made.Secrets[:2],
	}, door, "what opens the provider's API is not the door's to have")

	_, err = r.PauseSource(t.Context(), AnyTenant, made.ID)
	require.NoError(t, err)
	_, _, err = r.RotateSourceSecret(t.Context(), AnyTenant, made.ID, SourceSecret{Name: "app 2", Role: RoleSignature, Value: "2"}, 2*time.Hour, Once{})
	require.NoError(t, err)
	_, _, err = r.RotateSourceSecret(t.Context(), AnyTenant, made.ID, SourceSecret{Name: "verify 2", Role: RoleHandshake, Value: "2"}, time.Hour, Once{})
	require.NoError(t, err)
	door, err = r.SourceForDoor(t.Context(), made.ID)
	require.NoError(t, err)
	require.True(t, door.Paused)
	require.Equal(t, sourceVersion(t, r, made.ID), door.Version)
	require.EqualValues(t, 4, door.Version)
	require.Len(t, door.Secrets, 4)
	require.Equal(t, "verify 2", door.Secrets[0].Name)
	require.InDelta(t, time.Hour, door.FreshFor, float64(time.Minute), "until the first of them expires")

	bare, _, err := r.CreateSource(t.Context(), NewSource{Tenant: "acme"}, Once{})
	require.NoError(t, err)
	door, err = r.SourceForDoor(t.Context(), bare.ID)
	require.NoError(t, err)
	require.Empty(t, door.Secrets)
}

func TestSourceForDoor_AnExpiredSecretIsNone(t *testing.T) {
	t.Parallel()
	start := time.Date(2031, time.May, 4, 10, 0, 0, 0, time.UTC)
	s, clock := pgtest.OpenAt(t, start)
	r := New(s, Options{Now: clock.Now})
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	clock.Advance(t, time.Second) // the newest comes first
	_, _, err := r.RotateSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Name: "second", Value: "2"}, 90*time.Second, Once{})
	require.NoError(t, err)
	for _, step := range []struct {
		by    time.Duration
		fresh time.Duration
		names string
	}{
		{0, 90 * time.Second, "[second first]"}, {89*time.Second + 999999*time.Microsecond, time.Microsecond, "[second first]"},
		{time.Microsecond, 0, "[second]"},
	} {
		clock.Advance(t, step.by)
		door, err := r.SourceForDoor(t.Context(), source.ID)
		require.NoError(t, err)
		require.Equal(t, step.fresh, door.FreshFor)
		var names []string
		for _, secret := range door.Secrets {
			names = append(names, secret.Name)
		}
		require.Equal(t, step.names, fmt.Sprint(names))
	}
}

func TestSourceForDoor_OfOneMoment(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	source := addSource(t, first, "acme") // version 1, one secret: each change is one more of both
	const more = MaxSecrets - 1
	for _, err := range atOnce(2, func(i int) error {
		for n := range more {
			if i == 0 {
				if _, _, err := second.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Value: fmt.Sprint(n)}, Once{}); err != nil {
					return err
				}
				continue
			}
			for range 5 {
				door, err := first.SourceForDoor(t.Context(), source.ID)
				if err != nil {
					return err
				}
				if int64(len(door.Secrets)) != door.Version {
					return fmt.Errorf("version %d has %d secrets", door.Version, len(door.Secrets))
				}
			}
		}
		return nil
	}) {
		require.NoError(t, err)
	}
	require.EqualValues(t, MaxSecrets, sourceVersion(t, first, source.ID))
}

func TestSourceForDoor_UnknownOrDeleted(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	kept, gone := addSource(t, r, "globex"), addSource(t, r, "acme")
	require.NoError(t, r.DeleteSource(t.Context(), AnyTenant, gone.ID))
	for _, id := range []delivery.ID{gone.ID, r.newID(3), {}} {
		_, err := r.SourceForDoor(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSource)
	}
	found, err := r.SourceVersions(t.Context(), []delivery.ID{gone.ID, kept.ID, r.newID(3), kept.ID, {}})
	require.NoError(t, err)
	require.Equal(t, map[delivery.ID]int64{kept.ID: 1}, found)
	found, err = r.SourceVersions(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, found)
}
