package egress

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChecker_G08_Vectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/ssrf_urls.json")
	require.NoError(t, err)
	var vectors []json.RawMessage
	require.NoError(t, json.Unmarshal(text, &vectors))
	require.Len(t, vectors, 130)
	checker := Checker{newGuard(t)}
	for _, vector := range vectors {
		var want struct{ URL, Verdict, Why, Normalized string }
		require.NoError(t, json.Unmarshal(vector, &want))
		verdict, err := checker.CheckJSON(vector)
		require.NoError(t, err)
		require.Equal(t, Outcome(want.Verdict), verdict.Verdict, "%s (%s): %s", want.URL, want.Why, verdict.Reason)
		if want.Normalized != "" {
			require.Equal(t, want.Normalized, verdict.Normalized)
		}
		rule, sentence, found := strings.Cut(verdict.Reason, ": ")
		require.True(t, found && rule != "" && sentence != "", "%q", verdict.Reason)
		require.Equal(t, verdict.Verdict == RejectAtRegistration, verdict.Normalized == "", want.URL)
	}
}

func TestChecker_Answers(t *testing.T) {
	t.Parallel()
	checker := Checker{newGuard(t)}
	for answers, want := range map[string]Outcome{
		`null`:                                    Allow,
		`["93.184.216.34"]`:                       Allow,
		`["93.184.216.34","2606:4700::1"]`:        Allow,
		`[["93.184.216.34"],["1.1.1.1"]]`:         Allow,
		`["::ffff:93.184.216.34"]`:                Allow,
		`[]`:                                      RejectAtDelivery,
		`[[]]`:                                    RejectAtDelivery,
		`[["93.184.216.34"],[]]`:                  RejectAtDelivery,
		`["10.0.0.1","93.184.216.34"]`:            RejectAtDelivery,
		`["93.184.216.34","64:ff9b::a9fe:a9fe"]`:  RejectAtDelivery,
		`[["1.1.1.1"],["1.1.1.1"],["127.0.0.1"]]`: RejectAtDelivery,
		`["fe80::1%eth0"]`:                        RejectAtDelivery,
		`["127.1"]`:                               RejectAtDelivery,
		`["metadata.google.internal"]`:            RejectAtDelivery,
	} {
		verdict, err := checker.CheckJSON([]byte(`{"url":"https://hooks.example.com/","resolves_to":` + answers + `}`))
		require.NoError(t, err)
		require.Equal(t, want, verdict.Verdict, "%s: %s", answers, verdict.Reason)
	}
}

// A literal is not looked up, and neither is an opened localhost.
func TestChecker_NoLookup(t *testing.T) {
	t.Parallel()
	checker := Checker{newGuard(t, "127.0.0.0/8")}
	for _, target := range []string{"https://172.32.0.1/", "https://[2606:4700::1]/", "http://localhost:3000/"} {
		verdict := checker.Check(Record{URL: target, ResolvesTo: Lookups{{}}})
		require.Equal(t, Allow, verdict.Verdict, verdict.Reason)
	}
}

func TestChecker_NotARecord(t *testing.T) {
	t.Parallel()
	checker := Checker{newGuard(t)}
	for _, text := range []string{``, `[]`, `{"url":1}`, `{"url":"https://a.io/","resolves_to":"1.1.1.1"}`, `{"url":"https://a.io/","resolves_to":["1.1.1.1",["::1"]]}`} {
		_, err := checker.CheckJSON([]byte(text))
		require.Error(t, err, text)
	}
}

func TestChecker_Scenarios(t *testing.T) {
	t.Parallel()
	checker := Checker{newGuard(t)}
	for scenario, rule := range map[string]Rule{
		"301 Location: http://169.254.169.254/":                                                       RuleRedirect,
		"307 with Location: https://hooks.example.com/":                                               RuleRedirect,
		"HTTP/1.1 308 Permanent Redirect":                                                             RuleRedirect,
		"receiver answers 303":                                                                        RuleRedirect,
		"first 200, then 302 Location: /login":                                                        RuleRedirect,
		"3xx Location: //10.0.0.1/":                                                                   RuleRedirect,
		"redirects to http://10.0.0.1/":                                                               RuleRedirect,
		"201 Location: http://169.254.169.254/":                                                       "",
		"response carries Location: http://10.0.0.1/ with status 200":                                 "",
		"300 ms until the answer":                                                                     "",
		"Refresh: 0;url=http://169.254.169.254/":                                                      "",
		"Link: <http://169.254.169.254/>; rel=preload":                                                "",
		"HTTP_PROXY=http://10.0.0.1:3128 is set":                                                      "",
		"Alt-Svc: h3=\"169.254.169.254:443\"":                                                         "",
		"body field SubscribeURL=http://10.0.0.1/":                                                    RuleSpecialPurpose,
		`body {"SubscribeURL": "https://localhost/"}`:                                                 RuleReservedName,
		"body field callback=ftp://hooks.example.com/":                                                RuleScheme,
		"body field UnsubscribeURL=//169.254.169.254/":                                                RuleScheme,
		"header PAYPAL-CERT-URL: https://127.1/cert.pem":                                              RuleNumericLabel,
		"header PAYPAL-CERT-URL: https://api.paypal.com/cert.pem":                                     "",
		"header PAYPAL-CERT-URL: https://paypal.com.evil.io/c":                                        RuleFetchHost,
		"body field SigningCertURL=https://sns.us-east-1.amazonaws.com/SimpleNotificationService.pem": "",
		"body field SigningCertURL=https://sns.us-east-1.amazonaws.com.evil.io/x.pem":                 RuleFetchHost,
		"body field SubscribeURL=https://s3.amazonaws.com/x":                                          RuleFetchHost,
		"body field order=4711:2":                                                                     "",
		"body field callback_url=https://a.io/":                                                       "",
	} {
		verdict := checker.Check(Record{URL: "https://hooks.example.com/", Scenario: scenario})
		if rule == "" {
			require.Equal(t, Allow, verdict.Verdict, "%s: %s", scenario, verdict.Reason)
			continue
		}
		require.Equal(t, RejectAtDelivery, verdict.Verdict, scenario)
		require.True(t, strings.HasPrefix(verdict.Reason, string(rule)+": "), "%s: %s", scenario, verdict.Reason)
	}
}
