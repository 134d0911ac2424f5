package ingest

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/source"
)

func provider(t testing.TB, name string) *source.Provider {
	t.Helper()
	found, ok := source.Lookup(name)
	require.True(t, ok, name)
	return found
}

func TestParseSettings_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, c := range []struct{ provider, settings, field, problem string }{
		{"stripe", `[]`, "settings", "must be a JSON object"},
		{"stripe", `null`, "settings", "must be a JSON object"},
		{"stripe", `{"a"`, "settings", "must be a JSON object"},
		{"stripe", `{"dedup":"none"}`, "dedup", "is not a setting: there are content_encoding, dedupe"},
		{"stripe", `{"dedupe":1}`, "dedupe", "must be a string"},
		{"stripe", `{"dedupe":"id"}`, "dedupe", "json:data.id"},
		{"stripe", `{"dedupe":""}`, "dedupe", "json:data.id"},
		{"stripe", `{"dedupe":"header:a b"}`, "dedupe", "header:Name"},
		{"stripe", `{"event_type_from":"json:a..b"}`, "event_type_from", "json:event.type"},
		{"stripe", `{"event_type_from":"fixed:a b"}`, "event_type_from", "fixed: must be followed by"},
		{"stripe", `{"url":"hooks.example.com"}`, "url", "must be the address"},
		{"stripe", `{"url":"https://u:p@hooks.example.com/"}`, "url", "must be the address"},
		{"stripe", `{"url":"https://` + long + `"}`, "url", "must be the address"},
		{"stripe", `{"tolerance":"5"}`, "tolerance", "must be a duration"},
		{"stripe", `{"tolerance":"-5m"}`, "tolerance", "must be a duration"},
		{"stripe", `{"tolerance":"200h"}`, "tolerance", "must be a duration"},
		{"stripe", `{"max_body_bytes":0}`, "max_body_bytes", "from 1 to 1048576"},
		{"stripe", `{"max_body_bytes":1048577}`, "max_body_bytes", "from 1 to 1048576"},
		{"stripe", `{"max_body_bytes":1.5}`, "max_body_bytes", "a whole number"},
		{"stripe", `{"max_body_bytes":1e300}`, "max_body_bytes", "a whole number"},
		{"stripe", `{"rate_limit":{}}`, "rate_limit.per_second", "is needed"},
		{"stripe", `{"rate_limit":{"per_second":0}}`, "rate_limit.per_second", "more than 0"},
		{"stripe", `{"rate_limit":{"per_second":1,"burst":0}}`, "rate_limit.burst", "whole number from 1"},
		{"stripe", `{"rate_limit":{"each":1}}`, "rate_limit.each", "is not a setting"},
		{"stripe", `{"success":{"status":302}}`, "success.status", "from 200 to 299"},
		{"stripe", `{"success":{"status":204,"body":"x"}}`, "success.body", "204"},
		{"stripe", `{"success":{"body":"` + long + `"}}`, "success.body", "at most 4096 bytes"},
		{"stripe", `{"success":{"body":"x","content_type":"a\r\nb: c"}}`, "success.content_type", "media type"},
		{"stripe", `{"success":{"body":"x","content_type":"Text/HTML; charset=utf-8"}}`, "success.content_type", "must not be"},
		{"stripe", `{"success":{"body":"x","content_type":"application/xhtml+xml"}}`, "success.content_type", "must not be"},
		{"stripe", `{"success":{"body":"x","content_type":"image/svg+xml"}}`, "success.content_type", "must not be"},
		{"asaas", `{"success":{"status":202}}`, "success.status", "must be 200"},
		{"discord", `{"success":{"status":200}}`, "success.status", "must be 204"},
		{"adyen", `{"success":{"status":200}}`, "success.body", "must be [accepted]"},
		{"stripe", `{"forward_headers":["Authorization"]}`, "forward_headers", "never passed on"},
		{"stripe", `{"forward_headers":["stripe-signature"]}`, "forward_headers", "never passed on"},
		{"stripe", `{"forward_headers":["Connection"]}`, "forward_headers", "belongs to the connection"},
		{"stripe", `{"forward_headers":["a b"]}`, "forward_headers", "no header's name"},
		{"stripe", `{"forward_headers":"X"}`, "forward_headers", "list of strings"},
		{"stripe", `{"forward_headers":[` + strings.Repeat(`"a",`, 50) + `"a"]}`, "forward_headers", "at most 50"},
		{"stripe", `{"content_encoding":"gzip"}`, "content_encoding", "as_received"},
		{"stripe", `{"filter":"type = 'a'"}`, "filter", "write == to compare"},
		{"stripe", `{"filter":""}`, "filter", "complete it"},
		{"stripe", `{"generic":{"header":"X"}}`, "generic", "goes with the provider generic only"},
		{"generic", ``, "generic", "is needed"},
		{"generic", `{"generic":{}}`, "generic.header", "name the header"},
		{"generic", `{"generic":{"auth":"magic"}}`, "generic.auth", "is not known"},
		{"generic", `{"generic":{"auth":"address","addresses":["1.2.3"]}}`, "generic.addresses", `"1.2.3" must be an address`},
		{"generic", `{"generic":{"header":"X","id":"nonsense"}}`, "generic.id", "header:Name"},
		{"generic", `{"generic":{"header":"X","content":"{timestamp}"}}`, "generic.content", "{body} must be in it"},
		{"generic", `{"generic":{"heather":"X"}}`, "generic.heather", "is not a setting"},
	} {
		_, err := ParseSettings(provider(t, c.provider), []byte(c.settings), DefaultMaxBody)
		wrong, ok := errors.AsType[*SettingsError](err)
		require.True(t, ok, "%s: %v", c.settings, err)
		require.Equal(t, c.field, wrong.Faults[0].Field, c.settings)
		require.Contains(t, wrong.Faults[0].Problem, c.problem, c.settings)
		require.Contains(t, err.Error(), c.field+" ")
	}
}

func TestParseSettings_NamesAllThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := ParseSettings(provider(t, "stripe"), []byte(`{"tolerance":"x","dedupe":"y","rate_limit":{"per_second":-1,"burst":0},"zzz":1}`), 10)
	wrong, ok := errors.AsType[*SettingsError](err)
	require.True(t, ok)
	var fields []string
	for _, fault := range wrong.Faults {
		fields = append(fields, fault.Field)
	}
	require.Equal(t, []string{"dedupe", "rate_limit.burst", "rate_limit.per_second", "tolerance", "zzz"}, fields)
}

func TestParseSettings_ReadsAll(t *testing.T) {
	t.Parallel()
	s, err := ParseSettings(provider(t, "generic"), []byte(`{
		"url": "https://hooks.example.com/in?x=1", "tolerance": "90s", "dedupe": "json:a\\.b.0", "event_type_from": "header:X-Event",
		"forward_headers": [], "success": {"status": 202, "body": "ok"}, "max_body_bytes": 512,
		"rate_limit": {"per_second": 2.5}, "content_encoding": "as_received", "filter": "type == 'a'",
		"generic": {"auth": "hmac", "addresses": ["203.0.113.7", "2001:db8::/32"], "header": "X-Sig", "prefix": "v1=",
			"separator": " ", "encoding": "base64", "algorithm": "sha512", "secret_encoding": "hex",
			"content": "{timestamp}.{body}", "timestamp_header": "X-Time", "timestamp_format": "rfc3339",
			"id": "header:X-Id", "type": "json:type"}}`), DefaultMaxBody)
	require.NoError(t, err)
	require.NotNil(t, s.Filter)
	s.Filter = nil
	at := func(text string) source.Locator {
		located, err := source.ParseLocator(text)
		require.NoError(t, err)
		return located
	}
	require.Equal(t, Settings{
		URL: "https://hooks.example.com/in?x=1", Window: 90 * time.Second,
		Dedupe: Dedupe{by: byLocator, at: at(`json:a\.b.0`)}, Type: TypeRule{at: at("header:X-Event"), isLocated: true},
		ForwardHeaders: []string{}, Success: source.Response{Status: 202, Body: "ok", ContentType: "text/plain; charset=utf-8"},
		MaxBodyBytes: 512, Rate: RateLimit{PerSecond: 2.5, Burst: 2}, AsReceived: true,
		Generic: &source.Generic{
			Auth:      source.AuthHMAC,
			Addresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.7/32"), netip.MustParsePrefix("2001:db8::/32")},
			Header:    "X-Sig", Prefix: "v1=", Separator: " ", Encoding: "base64", Algorithm: "sha512", SecretEncoding: "hex",
			Content: "{timestamp}.{body}", TimestampHeader: "X-Time", TimestampFormat: "rfc3339",
			ID: at("header:X-Id"), Type: at("json:type"),
		},
	}, s)

	s, err = ParseSettings(provider(t, "stripe"), nil, 77)
	require.NoError(t, err)
	require.Equal(t, Settings{MaxBodyBytes: 77}, s)
	s, err = ParseSettings(provider(t, "stripe"), []byte(`{"tolerance":"off","dedupe":"provider","event_type_from":"provider","content_encoding":"unpack","url":null}`), 77)
	require.NoError(t, err)
	require.Equal(t, Settings{MaxBodyBytes: 77, Window: source.NoWindow}, s)
}

// Whatever the text, there are settings within their bounds or faults that say
// which field is wrong.
func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"dedupe":"header:X","rate_limit":{"per_second":1}}`, `{"generic":{"header":"X","content":"{body}"}}`,
		`{"success":{"status":299.0}}`, `{"filter":"data.a == 1"}`, `{"tolerance":"1h","a":{"b":[1]}}`, `{"url":"http://x/%zz"}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, isGeneric bool) {
		name := "stripe"
		if isGeneric {
			name = "generic"
		}
		s, err := ParseSettings(provider(t, name), []byte(text), DefaultMaxBody)
		if err != nil {
			wrong, ok := errors.AsType[*SettingsError](err)
			require.True(t, ok)
			require.NotEmpty(t, wrong.Faults)
			for _, fault := range wrong.Faults {
				require.NotEmpty(t, fault.Field+fault.Problem)
			}
			return
		}
		require.Positive(t, s.MaxBodyBytes)
		require.LessOrEqual(t, s.MaxBodyBytes, DefaultMaxBody)
		require.Equal(t, isGeneric, s.Generic != nil)
		require.True(t, s.Rate == RateLimit{} || s.Rate.PerSecond > 0 && s.Rate.Burst > 0)
		require.True(t, s.Success.Status == 0 || s.Success.Status/100 == 2)
	})
}
