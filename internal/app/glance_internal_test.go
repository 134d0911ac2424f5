package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGlances_ManyWhoWatchAreOneLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := glances[string, int]{least: time.Second}
		looks := 0
		look := func(context.Context) (int, error) {
			time.Sleep(200 * time.Millisecond)
			looks++
			return looks, nil
		}
		ask := func(key string) int {
			value, err := g.of(t.Context(), key, look)
			require.NoError(t, err)
			return value
		}
		for range 50 {
			go func() { require.Equal(t, 1, ask("all")) }()
		}
		synctest.Wait()
		time.Sleep(time.Second)
		require.Equal(t, 1, ask("all"), "it took 200 ms, and so is good for two seconds")
		require.Equal(t, 2, ask("acme"), "another question")
		time.Sleep(2 * time.Second)
		require.Equal(t, 3, ask("all"))
	})
}

func TestGlances_RememberNoErrors(t *testing.T) {
	t.Parallel()
	g := glances[int, int]{least: time.Hour}
	away := errors.New("away")
	_, err := g.of(t.Context(), 1, func(context.Context) (int, error) { return 0, away })
	require.ErrorIs(t, err, away)
	value, err := g.of(t.Context(), 1, func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, value)
	for key := range 3 * maxGlances {
		_, err := g.of(t.Context(), key, func(context.Context) (int, error) { return key, nil })
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(g.looks), maxGlances)
}
