package egress

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/idna"
)

func addVectorURLs(f *testing.F) {
	f.Helper()
	text, err := os.ReadFile("testdata/ssrf_urls.json")
	require.NoError(f, err)
	var records []Record
	require.NoError(f, json.Unmarshal(text, &records))
	for _, record := range records {
		f.Add(record.URL)
	}
	for _, raw := range []string{
		"https://bücher.example.com./ü?{}#x", "https://XN--BCHER-KVA.de:8443", "http://[2606:4700::1]:80/%2f{",
		"https://localhost:9/", "http://127.0.0.1:9000?", "https://i❤.ws/[a]", "https://例え.jp/'",
	} {
		f.Add(raw)
	}
}

// transportHost is the host that net/http connects to for a URL's host: ASCII
// as it is, anything else mapped for look-up.
func transportHost(host string) (string, error) {
	if isASCII(host) {
		return host, nil
	}
	return idna.Lookup.ToASCII(host)
}

func FuzzCheckURL(f *testing.F) {
	addVectorURLs(f)
	guards := []*Guard{newGuard(f), newGuard(f, "127.0.0.0/8", "::1/128")}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, guard := range guards {
			target, err := guard.CheckURL(raw)
			if err != nil {
				require.NotEmpty(t, RuleOf(err))
				continue
			}
			again, err := guard.CheckURL(target.String())
			require.NoError(t, err)
			require.Equal(t, target, again)

			parsed, err := url.Parse(target.String())
			require.NoError(t, err)
			host := parsed.Hostname()
			require.Equal(t, strings.ToLower(host), host)
			mapped, err := transportHost(host)
			require.NoError(t, err)
			require.Equal(t, host, mapped)
			require.NotContains(t, parsed.RequestURI(), " ")
			require.True(t, isASCII(target.String()))

			// No reading of the host is an address that may not be called,
			// not even the one that a mapping of the raw text would give.
			for _, reading := range []string{host, rawHost(raw)} {
				if addr, err := netip.ParseAddr(reading); err == nil {
					require.NoError(t, guard.CheckAddr(addr), reading)
				}
			}
		}
	})
}

func rawHost(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	mapped, _ := transportHost(parsed.Hostname())
	return strings.TrimSuffix(mapped, ".")
}

func FuzzCheckJSON(f *testing.F) {
	f.Add(`{"url":"https://hooks.example.com/","resolves_to":[["1.1.1.1"],["10.0.0.1"]],"scenario":"302 Location: /"}`)
	f.Add(`{"url":"https://hooks.example.com/","resolves_to":[],"scenario":"body field SubscribeURL=http://[::1]/"}`)
	checker := Checker{newGuard(f)}
	f.Fuzz(func(t *testing.T, text string) {
		verdict, err := checker.CheckJSON([]byte(text))
		if err == nil {
			require.Contains(t, []Outcome{Allow, RejectAtDelivery, RejectAtRegistration}, verdict.Verdict)
			require.NotEmpty(t, verdict.Reason)
		}
	})
}
