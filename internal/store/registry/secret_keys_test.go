package registry

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func knowing(ids ...string) func(string) bool {
	return func(id string) bool { return slices.Contains(ids, id) }
}

func TestAdmitKeys_WhoComesLaterHasTheOthersKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	ctx := t.Context()
	require.NoError(t, r.AdmitKeys(ctx, "a", knowing("a")), "the first decides")
	require.NoError(t, r.AdmitKeys(ctx, "a", knowing("a")))
	foreign, ok := errors.AsType[*ForeignKeysError](r.AdmitKeys(ctx, "b", knowing("b")))
	require.True(t, ok)
	require.Equal(t, []string{"a"}, foreign.Missing)
	require.NoError(t, r.AdmitKeys(ctx, "b", knowing("b", "a")), "a rotation")
	require.NoError(t, r.AdmitKeys(ctx, "a", knowing("a", "b")), "one that was not rotated yet, but can read")
	require.NoError(t, r.RetireKeys(ctx, "b"))
	_, ok = errors.AsType[*ForeignKeysError](r.AdmitKeys(ctx, "a", knowing("a")))
	require.True(t, ok)
}
