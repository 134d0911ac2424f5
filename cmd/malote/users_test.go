package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
)

// welcome follows a one-time link and sets a password, as a browser does.
func welcome(t testing.TB, link string) int {
	t.Helper()
	form := url.Values{"password": {"correct horse battery"}, "again": {"correct horse battery"}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSpace(link), strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

func lastLine(text string) string {
	lines := splitLines(text)
	return lines[len(lines)-1]
}

func dashboardServer(t testing.TB) *testServer {
	return startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI, app.RoleDashboard} })
}

func TestUsers_InviteAndChange(t *testing.T) {
	t.Parallel()
	server := dashboardServer(t)
	invited := succeeds(t, server.with("users", "invite", "--role", "admin", "ana@example.com")...)
	require.Contains(t, invited, "ana@example.com")
	first := lastLine(invited)
	require.True(t, strings.HasPrefix(first, server.url+"/welcome/"), first)
	require.Contains(t, malote(t, server.with("users", "invite", "--role", "viewer", "Ana@Example.com")...).fails(t, 1), "malote users link NAME")
	renewed := succeeds(t, server.with("users", "link", "ANA@example.com")...)
	require.Equal(t, http.StatusGone, welcome(t, first), "the newer one counts")
	require.Equal(t, http.StatusSeeOther, welcome(t, renewed))
	require.Equal(t, http.StatusGone, welcome(t, renewed), "once")

	require.Contains(t, malote(t, server.with("users", "disable", "ana@example.com")...).fails(t, 1), "last administrator")
	succeeds(t, server.with("users", "invite", "--role", "viewer", "bob")...)
	require.Contains(t, succeeds(t, server.with("users", "role", "bob", "support")...), "support")
	require.Contains(t, succeeds(t, server.with("users", "disable", "bob")...), "disabled")
	require.Contains(t, malote(t, server.with("users", "link", "bob")...).fails(t, 1), "malote users enable NAME")
	listed := splitLines(succeeds(t, server.with("users", "list")...))
	require.Len(t, listed, 3)
	require.Regexp(t, `ana@example.com +admin +active`, listed[1])
	require.Regexp(t, `bob +support +disabled`, listed[2])
	require.NotContains(t, strings.Join(listed, ""), "/welcome/")
	id := strings.Fields(listed[2])[0]
	require.Contains(t, succeeds(t, server.with("users", "enable", id)...), "bob may log in again")
	succeeds(t, server.with("users", "delete", "bob")...)
	require.Contains(t, malote(t, server.with("users", "delete", "bob")...).fails(t, 1), `no user called "bob"`)
}

// Who has lost the API key, too, still has the database.
func TestUsers_InDatabaseNeedsNoServer(t *testing.T) {
	t.Parallel()
	server := dashboardServer(t)
	direct := func(arguments ...string) []string {
		return append(arguments, "--in-database", "--database-url", server.dsn, "--server", server.url)
	}
	link := lastLine(succeeds(t, direct("users", "invite", "--role", "admin", "ana")...))
	require.Equal(t, http.StatusSeeOther, welcome(t, link))
	locked := malote(t, direct("users", "link", "ana")...)
	require.Zero(t, locked.code, locked.stderr)
	require.Contains(t, locked.stderr, "--public-url")
	require.Equal(t, http.StatusSeeOther, welcome(t, locked.stdout))
	require.Contains(t, succeeds(t, append(direct("users", "link", "ana"), "--public-url", "https://m.example.com/")...), "https://m.example.com/welcome/")
	require.Contains(t, malote(t, direct("users", "delete", "ana")...).fails(t, 1), "last administrator")
	require.Regexp(t, `ana +admin +active`, succeeds(t, direct("users", "list")...))

	rows := splitLines(succeeds(t, server.with("audit", "--operation", "renew-user-link", "--json")...))
	require.Len(t, rows, 2)
	require.Equal(t, "database", field[string](t, rows[0], "actor_kind"))
	require.Equal(t, "ana", field[string](t, rows[0], "detail"))
}

func TestUsers_WrongUse(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{
		{"users", "invite", "ana"},
		{"users", "role", "ana", "root"},
		{"users", "list", "--in-database", "--data-dir", "/nonexistent"},
		{"users", "link", "ana", "--public-url", "here", "--api-key", "k"},
	} {
		malote(t, arguments...).fails(t, exitUsage)
	}
}
