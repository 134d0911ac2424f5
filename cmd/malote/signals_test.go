package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
)

func TestSignals_ListedAndFollowed(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	raise := func(kind, tenant, detail string) {
		server.execute(t, `INSERT INTO malote.signals (shard, id, tenant, kind, detail, delivery_id)
			SELECT 1, ('`+timeOfID(time.Now())+`' || substr(gen_random_uuid()::text, 14))::uuid, '`+tenant+`', '`+kind+`', '`+detail+`', gen_random_uuid()`)
	}
	signals := server.with("signals", "--since", "1h")
	require.Contains(t, malote(t, signals...).stderr, "There are no signals here.")
	raise("delivery_dead", "acme", "earlier")
	tail := inBackground(t, server.with("tail", "--signals", "--interval", "50ms")...)
	require.Eventually(t, func() bool { return strings.Contains(tail.stderr.String(), "Following") }, patience, 5*time.Millisecond)
	raise("many_failures", "globex", "later")
	require.Eventually(t, func() bool { return strings.Contains(tail.stdout.String(), "later") }, patience, 10*time.Millisecond)
	require.NotContains(t, tail.stdout.String(), "earlier")
	raise("many_failures", "globex", "last")
	require.Eventually(t, func() bool { return strings.Contains(tail.stdout.String(), "last") }, patience, 10*time.Millisecond)
	require.Equal(t, 1, strings.Count(tail.stdout.String(), "later"), "told once")

	listed := splitLines(succeeds(t, signals...))
	require.Len(t, listed, 4)
	require.Contains(t, listed[1], "last", "newest first")
	require.Contains(t, listed[1], "whd_")
	only := splitLines(succeeds(t, append(signals, "--kind", "delivery_dead", "--json")...))
	require.Len(t, only, 1)
	require.Equal(t, "earlier", field[string](t, only[0], "detail"))
}
