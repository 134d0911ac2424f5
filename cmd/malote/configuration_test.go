package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// configure writes a malote.yaml and goes to where it is. Not for parallel tests.
func configure(t *testing.T, content string) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(configurationFile, []byte(content), 0o600))
}

// configured runs the program as it is, in the present directory.
func configured(t *testing.T, arguments ...string) result {
	t.Helper()
	var stdout, stderr output
	code := runIn(&environment{ctx: t.Context(), stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}, arguments)
	return result{code, stdout.String(), stderr.String()}
}

func TestConfiguration_WhoCountsMore(t *testing.T) {
	listing := func() *fake { return answering(t, http.StatusOK, `{"data":[],"next_cursor":null}`) }
	shared, own, variable, flag := listing(), listing(), listing(), listing()
	configure(t, "server: "+shared.URL+"\napi-key: mlt_yaml\ntenants:\n  list:\n    server: "+own.URL+"\n    limit: 7\n")

	require.Zero(t, configured(t, "keys", "list").code)
	require.Len(t, shared.seen(), 1, "what is on top is for every command")
	require.Equal(t, "Bearer mlt_yaml", shared.seen()[0].header.Get("Authorization"))

	require.Zero(t, configured(t, "tenants", "list").code)
	require.Len(t, own.seen(), 1, "what is under the command counts more")
	require.Equal(t, "limit=7", own.seen()[0].query)

	t.Setenv("MALOTE_SERVER", variable.URL)
	require.Zero(t, configured(t, "tenants", "list").code)
	require.Len(t, variable.seen(), 1, "the environment counts more than the file")

	require.Zero(t, configured(t, "tenants", "list", "--server", flag.URL).code)
	require.Len(t, flag.seen(), 1, "the command line counts most")
}

func TestConfiguration_TakesListsAndDurations(t *testing.T) {
	configure(t, "allow-destinations: [127.0.0.0/8, '::1/128']\nserve:\n  drain-timeout: 5s\n  role: [api]\n")
	require.Contains(t, configured(t, "url", "check", "http://[::1]:9000/").stdout, `"allow"`)
}

// A flag that means something else in every command is not set for all at once.
func TestConfiguration_OwnFlagsAreNotShared(t *testing.T) {
	server := answering(t, http.StatusCreated, `{"id":"whe_1","secret":"s"}`)
	configure(t, "max-in-flight: 64\nserve:\n  max-in-flight: 128\n")
	t.Setenv("MALOTE_MAX_IN_FLIGHT", "256")
	require.Zero(t, configured(t, server.with("endpoints", "create", "https://a.example/")...).code)
	require.NotContains(t, server.seen()[0].body, "max_in_flight")
}

func TestConfiguration_RefusesWhatNothingHas(t *testing.T) {
	for content, says := range map[string]string{
		"listn: 127.0.0.1:1\n":                 `"listn"`,
		"serve:\n  listn: 1\n":                 `"serve.listn"`,
		"endpoints:\n  list:\n    tenent: a\n": `"endpoints.list.tenent"`,
		"a: [":                                 "not YAML",
	} {
		configure(t, content)
		told := configured(t, "policy", "list").fails(t, 2)
		require.Contains(t, told, says)
		require.Contains(t, told, configurationFile)
	}
	configure(t, "")
	require.Zero(t, configured(t, "policy", "list").code)
}
