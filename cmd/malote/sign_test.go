package main

import (
	"encoding/json"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/source"
)

const sampleURL = "https://hooks.example.com/in/src_01h455vb4pex5vsknk084sn02q"

// sampleSecrets are of the forms that providers issue.
var sampleSecrets = map[string]string{
	"adyen": "44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056", "adyen_platform": "44782DEF547AAA06C910C43932B1EB0C",
	"postmark": "user:pass:word", "okta": "Bearer hunter2hunter2",
}

func secretOf(p *source.Provider) string {
	if secret, special := sampleSecrets[p.Name]; special {
		return secret
	}
	if slices.Contains([]string{"clerk", "resend", "svix", "standard_webhooks"}, p.Name) {
		return "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	}
	return "hunter2hunter2hunter2"
}

func newSample(provider, secret, id string) *sample {
	return &sample{Provider: provider, Secret: secret, To: sampleURL, URL: sampleURL, ID: id, At: time.Unix(1767225600, 0)}
}

func (s *sample) received() source.Request {
	r := source.Request{Method: "POST", URL: s.URL + s.Query, Body: s.Body, Remote: netip.MustParseAddr("203.0.113.7")}
	for _, field := range s.Header {
		r.Header = append(r.Header, source.Field{Name: field[0], Value: field[1]})
	}
	return r
}

func TestSign_EveryProviderTakesItsSample(t *testing.T) {
	t.Parallel()
	for _, p := range source.Providers() {
		if p.Name == "generic" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			secret := secretOf(p)
			made := newSample(p.Name, secret, "test-abc")
			if slices.Contains(unsignable, p.Name) {
				require.ErrorContains(t, made.sign(nil), "have it send a test itself")
				return
			}
			require.NoError(t, p.CheckSecret(source.Secret{Value: secret}))
			require.NoError(t, made.sign(nil))
			secrets := []source.Secret{{Name: "live", Value: secret}}
			v := p.Verify(made.received(), secrets, source.Options{}, made.At.Add(time.Second))
			require.Equal(t, source.OK, v.Result, v.Explain())
			require.Equal(t, "live", v.Secret)
			require.Len(t, v.Items, 1)
			require.NotContains(t, string(made.Body), "$")
			for _, field := range made.Header {
				require.NotContains(t, field[1], "$ID")
			}

			again, other := newSample(p.Name, secret, "test-abc"), newSample(p.Name, secret, "test-xyz")
			require.NoError(t, again.sign(nil))
			require.NoError(t, other.sign(nil))
			require.Equal(t, v.Items[0].Dedupe, p.Verify(again.received(), secrets, source.Options{}, made.At).Items[0].Dedupe)
			if p.Name != "dropbox" { // gives nothing to tell by
				require.NotEmpty(t, v.Items[0].Dedupe)
				require.NotEqual(t, v.Items[0].Dedupe, p.Verify(other.received(), secrets, source.Options{}, made.At).Items[0].Dedupe,
					"two samples are two events")
			}

			wrong := newSample(p.Name, secretOf(p)[:len(secret)-2]+"00", "test-abc")
			require.NoError(t, wrong.sign(nil))
			require.False(t, p.Verify(wrong.received(), secrets, source.Options{}, made.At).Accepted())
			require.ErrorIs(t, newSample(p.Name, "", "x").sign(nil), errNoTestSecret)
		})
	}
	require.Len(t, source.Providers(), len(signers)+len(unsignable)+1, "a provider is missing here")
}

func TestSign_GenericByEveryRule(t *testing.T) {
	t.Parallel()
	generic, _ := source.Lookup("generic")
	at := func(text string) source.Locator {
		located, err := source.ParseLocator(text)
		require.NoError(t, err)
		return located
	}
	for rule, as := range map[string]struct {
		rule   source.Generic
		secret string
	}{
		`{"header":"X-Sig"}`: {source.Generic{Header: "X-Sig"}, "hunter2"},
		`{"header":"X-Sig","prefix":"v1=","encoding":"base64url","algorithm":"sha512","secret_encoding":"base64","content":"{timestamp}.{id}.{header:X-Kind}.{body}","timestamp_header":"X-At","timestamp_format":"rfc3339","id":"header:X-Id","type":"header:X-Kind"}`: {source.Generic{
			Header: "X-Sig", Prefix: "v1=", Encoding: "base64url", Algorithm: "sha512", SecretEncoding: "base64",
			Content: "{timestamp}.{id}.{header:X-Kind}.{body}", TimestampHeader: "X-At", TimestampFormat: "rfc3339",
			ID: at("header:X-Id"), Type: at("header:X-Kind"),
		}, "aHVudGVyMg=="},
		`{"header":"X-Sig","encoding":"base64","algorithm":"sha1","secret_encoding":"hex","content":"{method}{url}{body}{timestamp}","timestamp_header":"X-At"}`: {source.Generic{
			Header: "X-Sig", Encoding: "base64", Algorithm: "sha1", SecretEncoding: "hex", Content: "{method}{url}{body}{timestamp}", TimestampHeader: "X-At",
		}, "68756e74657232"},
		`{"auth":"header_token","header":"X-Token","prefix":"T "}`: {source.Generic{Auth: source.AuthHeader, Header: "X-Token", Prefix: "T "}, "hunter2"},
		`{"auth":"bearer"}`:                      {source.Generic{Auth: source.AuthBearer}, "hunter2"},
		`{"auth":"basic"}`:                       {source.Generic{Auth: source.AuthBasic}, "me:hunter2"},
		`{"auth":"query_token","parameter":"k"}`: {source.Generic{Auth: source.AuthQuery, Parameter: "k"}, "hunter2&="},
		`{"auth":"address","addresses":["203.0.113.0/24"]}`: {source.Generic{
			Auth: source.AuthAddress, Addresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")},
		}, ""},
	} {
		require.NoError(t, as.rule.Validate())
		made := newSample("generic", as.secret, "test-abc")
		require.NoError(t, made.sign(json.RawMessage(rule)), rule)
		v := generic.Verify(made.received(), []source.Secret{{Name: "live", Value: as.secret}}, source.Options{Generic: &as.rule}, made.At)
		require.Equal(t, source.OK, v.Result, "%s: %s", rule, v.Explain())
		if as.rule.ID.String() != "" {
			require.Equal(t, "test-abc", v.ID)
			require.Equal(t, "malote.test", v.Type)
		}
	}
	require.ErrorIs(t, newSample("generic", "", "x").sign([]byte(`{"header":"X"}`)), errNoTestSecret)
	require.ErrorContains(t, newSample("generic", "x", "x").sign([]byte(`[]`)), "not what this version")
}

func TestSign_SecretsOfTheWrongForm(t *testing.T) {
	t.Parallel()
	for provider, secret := range map[string]string{"adyen": "xyz", "adyen_platform": "xyz", "svix": "whsec_***", "standard_webhooks": "whpk_AAAA"} {
		err := newSample(provider, secret, "x").sign(nil)
		var wrong *usageError
		require.ErrorAs(t, err, &wrong, provider)
		require.NotContains(t, err.Error(), secret)
	}
}
