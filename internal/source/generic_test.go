package source

import (
	"crypto"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func locator(t *testing.T, text string) Locator {
	t.Helper()
	l, err := ParseLocator(text)
	require.NoError(t, err)
	return l
}

func TestGeneric_Templates(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	for _, test := range []struct{ content, timestamp, signed string }{
		{"", "", `{"id":7}`},
		{"{body}", "", `{"id":7}`},
		{"{timestamp}.{body}", "X-Time", `1700000000.{"id":7}`},
		{"{method}{url}{body}", "", `PUThttps://a.example/in?x=1{"id":7}`},
		{"v1:{id}:{header:X-Other}:{timestamp}:{body}}", "X-Time", `v1:i-1:o:1700000000:{"id":7}}`},
	} {
		rule := &Generic{
			Header: "X-Sig", Content: test.content, TimestampHeader: test.timestamp, ID: locator(t, "header:X-Id"), Type: locator(t, "json:id"),
		}
		require.NoError(t, rule.Validate())
		sum := hex.EncodeToString(keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte(test.signed)}))
		request := Request{Method: "PUT", URL: "https://a.example/in?x=1", Body: []byte(`{"id":7}`), Header: Header{
			{"X-Sig", sum}, {"X-Id", "i-1"}, {"X-Other", "o"}, {"X-Time", "1700000000"},
		}}
		v := verifyWith("generic", "s", request, Options{Generic: rule}, now)
		require.Equal(t, OK, v.Result, "%s: %s", test.content, v.Explain())
		require.Equal(t, "i-1", v.ID)
		require.Equal(t, "7", v.Type)
		if rule.TimestampHeader == "" {
			continue
		}
		require.Equal(t, TooOld, verifyWith("generic", "s", request, Options{Generic: rule}, now.Add(301*time.Second)).Reason)
		rule.Tolerance = time.Hour
		require.Equal(t, OK, verifyWith("generic", "s", request, Options{Generic: rule}, now.Add(301*time.Second)).Result)
		request.Header[3].Value = "1700000001"
		require.Equal(t, BadSignature, verifyWith("generic", "s", request, Options{Generic: rule}, now).Result)
	}
}

func TestGeneric_AlgorithmsAndEncodings(t *testing.T) {
	t.Parallel()
	for algorithm, hash := range algorithms {
		for name, e := range encodings {
			sum := keyed(hash, []byte("s"), [][]byte{[]byte("body")})
			text := map[encoding]string{
				inHex: hex.EncodeToString(sum), inBase64: base64.StdEncoding.EncodeToString(sum), inBase64URL: base64.RawURLEncoding.EncodeToString(sum),
			}[e]
			rule := &Generic{Header: "X-Sig", Prefix: "p=", Separator: ",", Algorithm: algorithm, Encoding: name}
			verify := func(header string) Verdict {
				return verifyWith("generic", "s", Request{Body: []byte("body"), Header: Header{{"X-Sig", header}}}, Options{Generic: rule}, time.Time{})
			}
			require.Equal(t, OK, verify("p=00, p="+text).Result, "%s %s", algorithm, name)
			require.Equal(t, Malformed, verify(text).Result)
			require.Equal(t, BadSignature, verify("p=00").Result)
			rule.SecretEncoding = "hex"
			require.Equal(t, SecretUnusable, verify("p="+text).Reason)
		}
	}
	// SHA-1 holds for those alone who ask for it.
	sum := hex.EncodeToString(keyed(crypto.SHA1, []byte("s"), [][]byte{[]byte("body")}))
	v := verifyWith("generic", "s", Request{Body: []byte("body"), Header: Header{{"X-Sig", sum}}}, Options{Generic: &Generic{Header: "X-Sig"}}, time.Time{})
	require.Equal(t, SignatureAlgorithm, v.Reason)
}

func TestGeneric_Tokens(t *testing.T) {
	t.Parallel()
	verify := func(rule Generic, url string, header ...Field) Reason {
		v := verifyWith("generic", "user:pass", Request{Method: "POST", URL: url, Header: header}, Options{Generic: &rule}, time.Time{})
		return v.Reason
	}
	for _, test := range []struct {
		rule   Generic
		url    string
		header Field
		want   Reason
	}{
		{Generic{Auth: AuthBearer}, "", Field{"authorization", "bearer user:pass"}, Verified},
		{Generic{Auth: AuthBearer}, "", Field{"Authorization", "Bearer user:pas"}, WrongToken},
		{Generic{Auth: AuthBearer}, "", Field{"Authorization", "user:pass"}, SignatureMalformed},
		{Generic{Auth: AuthBearer}, "", Field{}, HeaderMissing},
		{Generic{Auth: AuthBasic}, "", Field{"Authorization", "Basic dXNlcjpwYXNz"}, Verified},
		{Generic{Auth: AuthBasic}, "", Field{"Authorization", "Basic dXNlcjpwYXN0"}, WrongToken},
		{Generic{Auth: AuthHeader, Header: "X-Token", Prefix: "t="}, "", Field{"X-Token", "t=user:pass"}, Verified},
		{Generic{Auth: AuthHeader, Header: "X-Token"}, "", Field{"X-Token", "user:pas"}, WrongToken},
		{Generic{Auth: AuthQuery, Parameter: "key"}, "https://a.example/?key=user%3Apass", Field{}, Verified},
		{Generic{Auth: AuthQuery, Parameter: "key"}, "https://a.example/?key=user:pass&key=x", Field{}, HeaderTwice},
		{Generic{Auth: AuthQuery, Parameter: "key"}, "https://a.example/?key=x", Field{}, WrongToken},
		{Generic{Auth: AuthQuery, Parameter: "key"}, "https://a.example/", Field{}, HeaderMissing},
	} {
		require.Equal(t, test.want, verify(test.rule, test.url, test.header), "%+v", test)
	}
	require.Equal(t, NotConfigured, verifyWith("generic", "s", Request{}, Options{}, time.Time{}).Reason)
}

func TestGeneric_Addresses(t *testing.T) {
	t.Parallel()
	rule := &Generic{Auth: AuthAddress, Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}}
	for address, want := range map[string]Reason{
		"192.0.2.7": Verified, "::ffff:192.0.2.7": Verified, "2001:db8::1": Verified, "192.0.3.1": AddressNotAllowed, "2001:db9::1": AddressNotAllowed,
	} {
		request := Request{Remote: netip.MustParseAddr(address)}
		require.Equal(t, want, verifyWith("generic", "", request, Options{Generic: rule}, time.Time{}).Reason, address)
	}
	require.Equal(t, AddressNotAllowed, verifyWith("generic", "", Request{}, Options{Generic: rule}, time.Time{}).Reason, "an unknown one")
	both := &Generic{Auth: AuthBearer, Addresses: rule.Addresses}
	request := Request{Remote: netip.MustParseAddr("192.0.3.1"), Header: Header{{"Authorization", "Bearer s"}}}
	require.Equal(t, AddressNotAllowed, verifyWith("generic", "s", request, Options{Generic: both}, time.Time{}).Reason)
}

func TestGeneric_Validate(t *testing.T) {
	t.Parallel()
	for says, rule := range map[string]Generic{
		"header: name":                       {},
		`auth: "magic" is not known`:         {Auth: "magic"},
		"addresses: name":                    {Auth: AuthAddress},
		"parameter: name":                    {Auth: AuthQuery},
		`algorithm: "md5"`:                   {Header: "X", Algorithm: "md5"},
		`encoding: "rot13"`:                  {Header: "X", Encoding: "rot13"},
		`secret_encoding: "x"`:               {Header: "X", SecretEncoding: "x"},
		`timestamp_format: "x"`:              {Header: "X", TimestampFormat: "x"},
		"content: {body} must":               {Header: "X", Content: "{url}"},
		"content: {secret} is not":           {Header: "X", Content: "{body}{secret}"},
		"content: a { is not closed":         {Header: "X", Content: "{body"},
		"timestamp_header: name":             {Header: "X", Content: "{timestamp}{body}"},
		"content: {timestamp} must":          {Header: "X", TimestampHeader: "X-T"},
		"timestamp_header: this is no":       {Header: "X", TimestampHeader: "X T", Content: "{timestamp}{body}"},
		"tolerance: it needs":                {Header: "X", Tolerance: time.Second},
		"tolerance: it must not be negative": {Header: "X", Tolerance: -1},
		"id: {id} is signed":                 {Header: "X", Content: "{id}{body}", ID: locator(t, "json:a")},
		"header: ":                           {Header: "X Y"},
	} {
		err := rule.Validate()
		require.ErrorContains(t, err, says)
		var wrong *ConfigError
		require.ErrorAs(t, err, &wrong)
		require.NotEmpty(t, wrong.Field)
	}
}

func TestLocator(t *testing.T) {
	t.Parallel()
	request := Request{
		Header: Header{{"X-Id", " 7 "}, {"X-Two", "1"}, {"x-two", "2"}, {"X-Long", string(make([]byte, 300))}},
		Body:   []byte(`{"a":{"b.c":["x",{"d":12345678901234567890}]},"ctl":"a\u0000b"}`),
	}
	for text, want := range map[string]string{
		"header:x-id": "7", "header:X-Two": "", "header:X-Long": "", "header:X-None": "", "": "",
		`json:a.b\.c.0`: "x", `json:a.b\.c.1.d`: "12345678901234567890", "json:a": "", "json:none": "", "json:ctl": "",
	} {
		require.Equal(t, want, locator(t, text).Find(request), text)
		require.Equal(t, text, locator(t, text).String())
	}
	for _, text := range []string{"a.b", "json:", "json:a..b", "header:", "header:a b", "json:."} {
		_, err := ParseLocator(text)
		require.Error(t, err, text)
	}
}
