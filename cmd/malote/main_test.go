package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

func TestRun_ExitCodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments []string
		code      int
	}{
		"help":                       {[]string{"--help"}, 0},
		"version":                    {[]string{"--version"}, 0},
		"nothing":                    {nil, 2},
		"unknown command":            {[]string{"frobnicate"}, 2},
		"group without command":      {[]string{"endpoints"}, 2},
		"unknown flag":               {[]string{"policy", "list", "--frobnicate"}, 2},
		"bad number":                 {[]string{"events", "list", "--limit", "many"}, 2},
		"negative limit":             {[]string{"events", "list", "--limit=-1", "--api-key", "k"}, 2},
		"bad moment":                 {[]string{"events", "list", "--since", "yesterday"}, 2},
		"bad state":                  {[]string{"deliveries", "list", "--state", "lost"}, 2},
		"bad scope":                  {[]string{"keys", "create", "--scope", "root"}, 2},
		"bad role":                   {[]string{"serve", "--role", "dancer"}, 2},
		"bad range":                  {[]string{"serve", "--allow-destinations", "10.0.0.0"}, 2},
		"nothing in flight":          {[]string{"serve", "--max-in-flight", "0"}, 2},
		"kept for a moment":          {[]string{"serve", "--retention", "24h"}, 2},
		"secret key that is none":    {[]string{"serve", "--secret-key", "hunter2"}, 2},
		"secret keys from two":       {[]string{"serve", "--secret-key", "mlk_x", "--secret-key-file", "x"}, 2},
		"secret key file not there":  {[]string{"serve", "--secret-key-file", "/nonexistent"}, 1},
		"secrets of no database":     {[]string{"secrets", "status", "--data-dir", "/nonexistent"}, 2},
		"bad language":               {[]string{"policy", "contract", "standard", "--lang", "tlh"}, 2},
		"bad format":                 {[]string{"policy", "contract", "standard", "--format", "pdf"}, 2},
		"bad kind of signal":         {[]string{"signals", "--kind", "smoke"}, 2},
		"two things to follow":       {[]string{"tail", "--events", "--signals"}, 2},
		"recover since ever":         {[]string{"endpoints", "recover", "whe_1"}, 2},
		"recover what arrived":       {[]string{"endpoints", "recover", "whe_1", "--since", "1h", "--state", "delivered"}, 2},
		"header twice":               {[]string{"endpoints", "update", "whe_1", "--header", "A: 1", "--secret-header", "a: 2"}, 2},
		"headers and none":           {[]string{"endpoints", "update", "whe_1", "--no-headers", "--secret-header", "a: 2"}, 2},
		"bad server":                 {[]string{"tenants", "list", "--server", "localhost", "--api-key", "k"}, 2},
		"server with a user":         {[]string{"tenants", "list", "--server", "http://me:pw@127.0.0.1", "--api-key", "k"}, 2},
		"no time":                    {[]string{"tenants", "list", "--timeout", "0s", "--api-key", "k"}, 2},
		"no key":                     {[]string{"tenants", "list", "--data-dir", "/nonexistent"}, 2},
		"nothing to publish":         {[]string{"publish", "a.b"}, 2},
		"data and file":              {[]string{"publish", "a.b", "x.json", "--data", "1"}, 2},
		"type of JSON":               {[]string{"publish", "a.b", "--data", "1", "--content-type", "text/plain"}, 2},
		"bad header":                 {[]string{"endpoints", "create", "https://a.example", "--header", "nonsense"}, 2},
		"contradiction":              {[]string{"endpoints", "update", "whe_1", "--all-types", "--type", "a"}, 2},
		"nothing to change":          {[]string{"endpoints", "update", "whe_1"}, 2},
		"nothing to change either":   {[]string{"tenants", "update", "acme"}, 2},
		"resolve without reason":     {[]string{"deliveries", "resolve", "whd_1"}, 2},
		"impatient tail":             {[]string{"tail", "--interval", "1ms"}, 2},
		"no URL":                     {[]string{"url", "check"}, 2},
		"URL beside records":         {[]string{"url", "check", "https://a.example", "--jsonl"}, 2},
		"impossible status":          {[]string{"listen", "--status", "99"}, 2},
		"secret that is none":        {[]string{"listen", "--secret", "hunter2"}, 2},
		"demo of nothing":            {[]string{"demo", "--rate", "0"}, 2},
		"no database":                {[]string{"migrate", "status"}, 2},
		"file that is not there":     {[]string{"policy", "check", "/nonexistent.yaml"}, 1},
		"database that is not there": {[]string{"migrate", "up", "--database-url", "postgres://127.0.0.1:1/x"}, 1},
		"server that is not there":   {[]string{"replay", "whd_1", "--server", "http://127.0.0.1:1", "--api-key", "k"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := malote(t, test.arguments...)
			if test.code > 0 {
				got.fails(t, test.code)
				require.Empty(t, got.stdout)
				return
			}
			require.Zero(t, got.code, got.stderr)
			require.NotEmpty(t, got.stdout)
			require.Empty(t, got.stderr)
		})
	}
}

// MALOTE_VERSION is what deployments call the version they want, not a question.
func TestRun_VersionIsNoVariable(t *testing.T) {
	t.Setenv("MALOTE_VERSION", "1.2.3")
	require.Contains(t, succeeds(t, "policy", "list"), "standard")
}

func TestRun_EveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	parser, err := newParser()
	require.NoError(t, err)
	var visit func(*kong.Node)
	visit = func(node *kong.Node) {
		for _, child := range node.Children {
			name := child.FullPath()
			require.Contains(t, child.Detail, "Example", name)
			require.Contains(t, child.Detail, "malote "+strings.Fields(name)[1], name)
			require.NotEmpty(t, child.Help, name)
			for _, flag := range child.Flags {
				require.NotEmpty(t, flag.Help, "%s --%s", name, flag.Name)
			}
			visit(child)
		}
	}
	visit(parser.Model.Node)
}

func TestRun_ListsHaveJSON(t *testing.T) {
	t.Parallel()
	parser, err := newParser()
	require.NoError(t, err)
	var visit func(*kong.Node)
	visit = func(node *kong.Node) {
		for _, child := range node.Children {
			if child.Name == "list" || child.Name == "show" && node.Name != "policy" {
				require.Contains(t, flagNames(child), "json", child.FullPath())
			}
			visit(child)
		}
	}
	visit(parser.Model.Node)
}
