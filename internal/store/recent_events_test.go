package store_test

import (
	"bytes"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// Whatever is published, what is remembered stays within its bounds, and the latest
// is there.
func TestRecentEvents_TheOldestMakeRoom(t *testing.T) {
	t.Parallel()
	const room, size = 64 << 10, 1000
	recent := store.NewRecentEvents(room)
	var ids []delivery.ID
	for range 1000 {
		id := delivery.NewID(0, time.Now(), rand.Reader)
		ids = append(ids, id)
		recent.Put(delivery.Event{ID: id, Type: "t"}, [][]byte{make([]byte, size)})
	}
	kept := 0
	for _, id := range ids {
		_, known := recent.Get(id)
		require.False(t, kept > 0 && !known, "not the oldest went")
		if known {
			kept++
		}
	}
	require.Greater(t, kept, room/size/2)
	require.LessOrEqual(t, kept, room/size)
	_, known := recent.Get(ids[len(ids)-1])
	require.True(t, known)
}

func TestRecentEvents_LargeOnesAreRead(t *testing.T) {
	t.Parallel()
	recent := store.NewRecentEvents(1 << 20)
	large, small := delivery.NewID(0, time.Now(), rand.Reader), delivery.NewID(0, time.Now(), rand.Reader)
	recent.Put(delivery.Event{ID: large}, [][]byte{make([]byte, 65<<10)})
	recent.Put(delivery.Event{ID: small}, [][]byte{[]byte("x")})
	_, known := recent.Get(large)
	require.False(t, known)
	_, known = recent.Get(small)
	require.True(t, known)
}

// A small body that is a piece of a large request doesn't keep all of it.
func TestRecentEvents_APieceDoesNotKeepTheWhole(t *testing.T) {
	t.Parallel()
	whole := bytes.Repeat([]byte("abcdefgh"), 100_000)
	recent := store.NewRecentEvents(1 << 20)
	for name, piece := range map[string][]byte{"in the middle": whole[8:16], "the last": whole[len(whole)-8:]} {
		id := delivery.NewID(0, time.Now(), rand.Reader)
		recent.Put(delivery.Event{ID: id}, [][]byte{piece})
		event, known := recent.Get(id)
		require.True(t, known, name)
		require.Equal(t, "abcdefgh", string(event.Body), name)
		require.NotSame(t, &piece[0], &event.Body[0], name)
	}
}
