package registry

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// A rotation in its order: nobody ever writes what another cannot read.
func TestAdmitKeys_EverybodyHasTheKeysOfAll(t *testing.T) {
	t.Parallel()
	r := open(t)
	ctx := t.Context()
	refused := func(missing string, keys ...string) {
		t.Helper()
		foreign, ok := errors.AsType[*ForeignKeysError](r.AdmitKeys(ctx, keys))
		require.True(t, ok)
		require.Equal(t, []string{missing}, foreign.Missing)
	}
	require.NoError(t, r.AdmitKeys(ctx, []string{"old"}), "the first decides")
	require.NoError(t, r.AdmitKeys(ctx, []string{"old"}))
	refused("old", "new")
	require.NoError(t, r.AdmitKeys(ctx, []string{"old", "new"}), "the rotation begins")
	refused("new", "old")
	require.NoError(t, r.RetireKeys(ctx, "new"))
	require.NoError(t, r.AdmitKeys(ctx, []string{"new"}))
	refused("new", "old")
	known, err := r.RegisteredKeys(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, known)
}
