package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
)

func TestAudit_TellsWhoChangedWhat(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	require.Contains(t, malote(t, server.with("audit", "--since", "1h", "--tenant", "globex")...).stderr, "There are no changes here.")
	succeeds(t, server.with("tenants", "create", "globex")...)
	succeeds(t, server.with("keys", "create", "--scope", "read", "--tenant", "globex", "--name", "reports")...)

	rows := splitLines(succeeds(t, server.with("audit", "--tenant", "globex")...))
	require.Len(t, rows, 3)
	require.Contains(t, rows[1], "create-key")
	require.Contains(t, rows[1], "scope: read")
	require.Contains(t, rows[2], "create-tenant")
	require.Contains(t, rows[2], "127.0.0.1")

	only := splitLines(succeeds(t, server.with("audit", "--operation", "create-key", "--json")...))
	require.Len(t, only, 1)
	require.Equal(t, "api_key", field[string](t, only[0], "subject_kind"))
	subject := field[string](t, only[0], "subject_id")
	require.Len(t, splitLines(succeeds(t, server.with("audit", "--subject", subject, "--json")...)), 1)
	require.Contains(t, malote(t, server.with("audit", "--until", "2020-01-01")...).stderr, "There are no changes here.")
}
