package source

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProviders_SayWhatThereIsToKnow(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, p := range Providers() {
		require.Regexp(t, regexp.MustCompile(`^[a-z0-9_]+$`), p.Name)
		require.False(t, seen[p.Name], p.Name)
		seen[p.Name] = true
		for _, text := range []string{p.Title, p.Signed, p.Secret, p.Dedupe, p.Type, p.Handshake, p.Retries} {
			require.NotEmpty(t, text, p.Name)
		}
		found, known := Lookup(p.Name)
		require.True(t, known)
		require.Same(t, p, found)
	}
	for _, name := range []string{"", "Stripe", "acme"} {
		_, known := Lookup(name)
		require.False(t, known)
	}
	alias, known := Lookup("generic_hmac")
	require.True(t, known)
	require.Same(t, generic, alias)
}

// Each provider has a vector that holds, but for those that share another's rule.
func TestProviders_AreAllTried(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{"clerk": true, "resend": true, "whatsapp": true}
	for _, v := range vectors(t) {
		if p, _ := Lookup(v.Provider); v.Expect == OK {
			tried[p.Name] = true
		}
	}
	for _, p := range Providers() {
		require.True(t, tried[p.Name], p.Name)
	}
}

func TestReasons_AreExplainedOnce(t *testing.T) {
	t.Parallel()
	seen := make(map[Reason]bool)
	for _, reason := range Reasons {
		require.False(t, seen[reason], reason)
		seen[reason] = true
		require.NotEqual(t, string(reason), reason.Explain())
	}
	require.Equal(t, "unheard_of", Reason("unheard_of").Explain())
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, secret, says string }{
		{"stripe", "whsec_abc", ""},
		{"stripe", "", "empty"},
		{"stripe", " whsec_abc", "white space"},
		{"adyen", "00ff", ""},
		{"adyen", "xyz", "hexadecimal"},
		{"adyen_platform", "0", "hexadecimal"},
		{"discord", "fcf4594ff55a5898a7e7ce541b93dc8ce618c7a4fa96ab7efd1ac2890571345c", ""},
		{"discord", "fcf4", "32 bytes"},
		{"postmark", "user:pa:ss", ""},
		{"postmark", "user", "user:password"},
		{"svix", "whsec_plJ3nmyCDGBKInavdOK15jsl", ""},
		{"svix", "whsec_AAAA", "16 bytes"},
		{"svix", "whsec_!", "base64"},
		{"svix", "whpk_AAAA", "whpk_"},
		{"standard_webhooks", "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", ""},
		{"sendgrid", "MFkw", "P-256"},
		{"plaid", `{"client_id":"a","secret":"b"}`, ""},
		{"plaid", `{"client_id":"a","secret":"b","environment":"moon"}`, "client_id"},
		{"plaid", "key", "client_id"},
	} {
		provider, _ := Lookup(test.provider)
		err := provider.CheckSecret(Secret{Value: test.secret})
		if test.says == "" {
			require.NoError(t, err, "%v", test)
			continue
		}
		require.ErrorContains(t, err, test.says, "%v", test)
	}
}
