package filter

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCache_CompilesOnceWhoeverAsks(t *testing.T) {
	t.Parallel()
	var cache Cache
	got := make([]*Filter, 16)
	var crowd sync.WaitGroup
	for i := range got {
		crowd.Go(func() { got[i], _ = cache.Get(`type == "a"`) })
	}
	crowd.Wait()
	require.NotNil(t, got[0])
	for _, f := range got {
		require.Same(t, got[0], f)
	}
	other, err := cache.Get(`type == "b"`)
	require.NoError(t, err)
	require.NotSame(t, got[0], other)
}

func TestCache_RemembersRefusals(t *testing.T) {
	t.Parallel()
	var cache Cache
	_, first := cache.Get("type ==")
	_, second := cache.Get("type ==")
	require.Error(t, first)
	require.Same(t, first, second)
}

func TestCache_IsBounded(t *testing.T) {
	t.Parallel()
	var cache Cache
	for i := range cached + 10 {
		cache.entry(strconv.Itoa(i)) // not compiled: that takes long
	}
	require.LessOrEqual(t, len(cache.entries), cached)
	_, err := cache.Get("true")
	require.NoError(t, err)
}
