package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMigrate_UpAndStatus(t *testing.T) {
	t.Parallel()
	database := []string{"--database-url", pgtest.EmptyDSN(t)}
	before := malote(t, append([]string{"migrate", "status"}, database...)...)
	require.Contains(t, before.fails(t, 1), "malote migrate up")
	require.Contains(t, before.stdout, "00001_schema.sql")

	require.Contains(t, succeeds(t, append([]string{"migrate", "up"}, database...)...), "Applied 00001_schema.sql")
	require.NotContains(t, succeeds(t, append([]string{"migrate", "up"}, database...)...), "Applied", "a second time there is nothing to do")
	for _, line := range splitLines(succeeds(t, append([]string{"migrate", "status", "--json"}, database...)...)) {
		require.NotEmpty(t, field[string](t, line, "applied_at"))
	}
}
