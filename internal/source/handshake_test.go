package source

import (
	"crypto"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHandshake_Echoes(t *testing.T) {
	t.Parallel()
	const script = "<script>alert(1)</script>"
	for _, test := range []struct{ provider, method, url string }{
		{"dropbox", "GET", "https://a.example/in?challenge=%3Cscript%3Ealert(1)%3C/script%3E"},
		{"meta", "GET", "https://a.example/in?hub.mode=subscribe&hub.verify_token=token&hub.challenge=%3Cscript%3Ealert(1)%3C/script%3E"},
		{"whatsapp", "GET", "https://a.example/in?hub.mode=subscribe&hub.verify_token=token&hub.challenge=%3Cscript%3Ealert(1)%3C/script%3E"},
		{"msgraph", "POST", "https://a.example/in?validationToken=%3Cscript%3Ealert(1)%3C/script%3E"},
	} {
		v := verifyWith(test.provider, "token", Request{Method: test.method, URL: test.url}, Options{}, time.Time{})
		require.Equal(t, Challenge, v.Result, "%s: %s", test.provider, v.Explain())
		require.Equal(t, script, v.Response.Body)
		require.Equal(t, "text/plain", v.Response.ContentType, "a browser must not run what a stranger wrote")
		require.Equal(t, "nosniff", v.Response.Header.Get("X-Content-Type-Options"))
		require.Empty(t, v.Items)

		long := strings.Replace(test.url, "alert(1)", strings.Repeat("x", maxEcho), 1)
		v = verifyWith(test.provider, "token", Request{Method: test.method, URL: long}, Options{}, time.Time{})
		require.Equal(t, HandshakeMalformed, v.Reason)
	}
	for _, url := range []string{"https://a.example/in", "https://a.example/in?challenge=", "://"} {
		require.Equal(t, Malformed, verifyWith("dropbox", "s", Request{Method: "GET", URL: url}, Options{}, time.Time{}).Result)
	}
}

func TestHandshake_Meta(t *testing.T) {
	t.Parallel()
	meta, _ := Lookup("meta")
	ask := func(query string, secrets ...Secret) Verdict {
		return meta.Verify(Request{Method: "GET", URL: "https://a.example/in?" + query}, secrets, Options{}, time.Time{})
	}
	const good = "hub.mode=subscribe&hub.challenge=1&hub.verify_token=token"
	require.Equal(t, Challenge, ask(good, Secret{Value: "app-secret", Role: RoleSignature}, Secret{Name: "v", Value: "token", Role: RoleHandshake}).Result)
	require.Equal(t, BadSignature, ask(good, Secret{Value: "token", Role: RoleSignature}).Result, "the app secret is asked for")
	require.Equal(t, BadSignature, ask(good, Secret{Value: "other"}).Result)
	require.Equal(t, NoSecret, ask(good).Reason)
	require.Equal(t, MissingHeader, ask("hub.mode=subscribe&hub.challenge=1", Secret{Value: "token"}).Result)
	require.Equal(t, Malformed, ask("hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=token", Secret{Value: "token"}).Result)
	require.Equal(t, Malformed, ask("hub.mode=subscribe&hub.verify_token=token", Secret{Value: "token"}).Result)
}

func TestHandshake_ZoomAnswersWithTheSecretThatAsked(t *testing.T) {
	t.Parallel()
	const body = `{"event":"endpoint.url_validation","payload":{"plainToken":"p"}}`
	zoom, _ := Lookup("zoom")
	sign := func(secret, text string) string {
		return hex.EncodeToString(keyed(crypto.SHA256, []byte(secret), [][]byte{[]byte(text)}))
	}
	request := Request{Body: []byte(body), Header: Header{{"x-zm-request-timestamp", "1"}, {"x-zm-signature", "v0=" + sign("new", "v0:1:"+body)}}}
	v := zoom.Verify(request, []Secret{{Value: "old"}, {Value: "new"}}, Options{}, time.Time{})
	require.Equal(t, Challenge, v.Result)
	require.JSONEq(t, `{"plainToken":"p","encryptedToken":"`+sign("new", "p")+`"}`, v.Response.Body)
	require.Equal(t, BadSignature, zoom.Verify(request, []Secret{{Value: "old"}}, Options{}, time.Time{}).Result, "an answer would give a signature away")
}

func TestHandshake_Okta(t *testing.T) {
	t.Parallel()
	ask := func(header Header) Verdict {
		return verifyWith("okta", "key", Request{Method: "GET", Header: header}, Options{}, time.Time{})
	}
	v := ask(Header{{"Authorization", "key"}, {oktaChallenge, `a"b`}})
	require.JSONEq(t, `{"verification":"a\"b"}`, v.Response.Body)
	require.Equal(t, MissingHeader, ask(Header{{"Authorization", "key"}}).Result)
	require.Equal(t, MissingHeader, ask(Header{{oktaChallenge, "x"}}).Result)
	require.Equal(t, BadSignature, ask(Header{{"Authorization", "kez"}, {oktaChallenge, "x"}}).Result)
}

func TestHandshake_SlackAsksForASignature(t *testing.T) {
	t.Parallel()
	body := []byte(`{"type":"url_verification","challenge":"c"}`)
	v := verifyWith("slack", "s", Request{Body: body, Header: Header{{"X-Slack-Request-Timestamp", "1"}, {"X-Slack-Signature", "v0=00"}}}, Options{}, time.Time{})
	require.Equal(t, BadSignature, v.Result)
	require.Empty(t, v.Response.Body)
}
