package source

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzVerify gives every provider every request: none may crash it, be changed
// by it, or be accepted with no secret.
func FuzzVerify(f *testing.F) {
	for _, v := range vectors(f) {
		record, err := ParseRecord(v.text)
		require.NoError(f, err)
		var headers strings.Builder
		for _, field := range record.Request.Header {
			headers.WriteString(field.Name + ":" + field.Value + "\n")
		}
		f.Add(record.Request.Method, record.Request.URL, headers.String(), record.Request.Body, record.Secrets[0].Value)
	}
	f.Fuzz(func(t *testing.T, method, address, headers string, body []byte, secret string) {
		request := Request{Method: method, URL: address, Body: bytes.Clone(body)}
		for line := range strings.SplitSeq(headers, "\n") {
			name, val, _ := strings.Cut(line, ":")
			request.Header = append(request.Header, Field{name, val})
		}
		now := time.Unix(1_700_000_000, 0)
		options := Options{Generic: &Generic{Header: "X-Signature", Content: "{method}{url}{body}"}}
		for _, p := range Providers() {
			v := p.Verify(request, []Secret{{Name: "s", Value: secret}}, options, now)
			require.Contains(t, Results, v.Result)
			require.Contains(t, Reasons, v.Reason)
			require.Equal(t, v.Result == OK, len(v.Items) > 0)
			for _, item := range v.Items {
				require.True(t, len(item.ID) <= maxName && len(item.Type) <= maxName && len(item.Dedupe) <= maxName)
			}
			if v.Fetch != nil {
				checkFetch(t, *v.Fetch)
			}
			without := p.Verify(request, nil, options, now)
			require.NotEqual(t, OK, without.Result, p.Name)
			_ = p.CheckSecret(Secret{Value: secret})
		}
		require.Equal(t, body, request.Body)
	})
}

// checkFetch holds what is fetched to the hosts that there are.
func checkFetch(t *testing.T, fetch Fetch) {
	t.Helper()
	parsed, err := url.Parse(fetch.URL)
	require.NoError(t, err)
	require.Equal(t, "https", parsed.Scheme)
	require.Nil(t, parsed.User)
	require.Equal(t, fetch.Host, parsed.Host)
	require.Regexp(t, `^(api(\.sandbox)?\.paypal\.com|(production|sandbox)\.plaid\.com|sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?)$`, parsed.Host)
}

func FuzzRecord(f *testing.F) {
	for _, v := range vectors(f)[:20] {
		f.Add([]byte(v.text))
	}
	f.Add([]byte(`{"provider":"github","headers_list":[["A","b"],{"name":"C","value":"d"},{"E":"f"}],"secret":["a","b"]}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		if record, err := ParseRecord(text); err == nil {
			_ = record.Judge()
		}
	})
}

func FuzzTimed(f *testing.F) {
	f.Add("t=1,v1=aa,v1=bb,v0=cc", ",")
	f.Add("ts=1;h1=aa", ";")
	f.Fuzz(func(t *testing.T, text, separator string) {
		scheme := timedScheme{separator: separator, clock: "t", version: "v1", versioned: true}
		if read, refused := scheme.read(text); refused == nil {
			require.NotEmpty(t, read.clock)
			require.False(t, read.at.IsZero())
		}
	})
}

func FuzzJWT(f *testing.F) {
	for _, v := range vectors(f) {
		if record, _ := ParseRecord(v.text); v.Provider == "plaid" && record.Request.Header.has("Plaid-Verification") {
			f.Add(record.Request.Header.Get("Plaid-Verification"), record.Secrets[0].Value)
		}
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		token, refused := readJWT(text)
		if read, err := readJWK([]byte(key)); refused == nil && err == nil {
			_ = token.holds(read.public)
		}
		if refused == nil {
			require.NotEmpty(t, token.kid)
		}
	})
}

func FuzzLocator(f *testing.F) {
	for _, text := range []string{"header:X-Id", "json:a.b.0", `json:a\.b`, "json:", "x", ""} {
		f.Add(text, []byte(`{"a":{"b":["c"]}}`))
	}
	f.Fuzz(func(t *testing.T, text string, body []byte) {
		locator, err := ParseLocator(text)
		if err != nil {
			return
		}
		_ = locator.Find(Request{Body: body})
		again, err := ParseLocator(locator.String())
		require.NoError(t, err)
		require.Equal(t, locator, again)
	})
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"{timestamp}.{body}", "{method}{url}{body}", "{", "{header:X-A}}", "{x}", ""} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		rule := Generic{Header: "X-A", Content: text, TimestampHeader: "X-T"}
		if rule.Validate() == nil {
			c := &call{Request: Request{Method: "POST", Body: []byte("b"), Header: Header{{"X-A", "a"}}}}
			_, _ = c.fill(&rule, "1")
		}
	})
}

func FuzzOriginals(f *testing.F) {
	for _, text := range []string{`{"a":"\u00e9\ud83d\ude80\/","b":[1, 2]}`, "a=%2F+b%20c", "x\r\n", "\ufeff{}", `"\ud800"`, ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before, count := bytes.Clone(body), 0
		for what := range originals(body) {
			require.NotEmpty(t, what)
			count++
		}
		require.LessOrEqual(t, count, 80)
		require.Equal(t, before, body)
	})
}
