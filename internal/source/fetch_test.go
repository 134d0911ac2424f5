package source

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"maps"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// certificateFor is one of testKey for a host, until 2030.
func certificateFor(t *testing.T, host string) []byte {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, testKey().Public(), testKey())
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func signRSA(t *testing.T, hash crypto.Hash, message string) string {
	t.Helper()
	sum := hash.New()
	sum.Write([]byte(message))
	signature, err := rsa.SignPKCS1v15(rand.Reader, testKey(), hash, sum.Sum(nil))
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(signature)
}

const (
	snsTopic = "arn:aws:sns:us-west-2:123456789012:MyTopic"
	snsCert  = "https://sns.us-west-2.amazonaws.com/a.pem"
	snsURL   = "https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&Token=t&TopicArn=" + snsTopic
)

// snsBody is a message, signed, with some members changed before and after that.
func snsBody(t *testing.T, kind string, before, after map[string]string) []byte {
	t.Helper()
	m := map[string]string{
		"Type": kind, "MessageId": "m", "TopicArn": snsTopic, "Message": "hello\nTimestamp", "Timestamp": "2024-01-01T00:00:00Z",
		"SignatureVersion": "1", "SigningCertURL": snsCert,
	}
	names := snsNotification
	if kind != "Notification" {
		names = snsSubscription
		m["SubscribeURL"], m["Token"] = snsURL, "t"
	}
	maps.Copy(m, before)
	var content strings.Builder
	for _, name := range names {
		if text, there := m[name]; there {
			content.WriteString(name + "\n" + text + "\n")
		}
	}
	hash := crypto.SHA1
	if m["SignatureVersion"] == "2" {
		hash = crypto.SHA256
	}
	m["Signature"] = signRSA(t, hash, content.String())
	maps.Copy(m, after)
	body, err := json.Marshal(m)
	require.NoError(t, err)
	return body
}

func verifySNSWith(t *testing.T, host string, body []byte, now time.Time) Verdict {
	t.Helper()
	options := Options{Fetched: map[string][]byte{snsCert: certificateFor(t, host)}}
	return verifyWith("aws_sns", snsTopic, Request{Method: "POST", Body: body}, options, now)
}

func TestSNS(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	type members = map[string]string
	for name, test := range map[string]struct {
		kind          string
		before, after members
		result        Result
		reason        Reason
	}{
		"version 1":              {"Notification", nil, nil, OK, Verified},
		"version 2":              {"Notification", members{"SignatureVersion": "2"}, nil, OK, Verified},
		"version 3":              {"Notification", nil, members{"SignatureVersion": "3"}, Malformed, AlgorithmRefused},
		"subject":                {"Notification", members{"Subject": "s"}, nil, OK, Verified},
		"subject added":          {"Notification", nil, members{"Subject": "s"}, BadSignature, WrongSecret},
		"message changed":        {"Notification", nil, members{"Message": "bye"}, BadSignature, WrongSecret},
		"another topic":          {"Notification", members{"TopicArn": snsTopic + "2"}, nil, BadSignature, OtherTopic},
		"unsubscribed":           {"UnsubscribeConfirmation", nil, nil, OK, Verified},
		"subscription":           {"SubscriptionConfirmation", nil, nil, Challenge, Handshake},
		"subscription elsewhere": {"SubscriptionConfirmation", members{"SubscribeURL": "https://evil.example/?Action=ConfirmSubscription"}, nil, Malformed, HandshakeMalformed},
		"subscription of other":  {"SubscriptionConfirmation", members{"SubscribeURL": snsURL + "2"}, nil, Malformed, HandshakeMalformed},
		"subscription to what":   {"SubscriptionConfirmation", members{"SubscribeURL": strings.Replace(snsURL, "Confirm", "Delete", 1)}, nil, Malformed, HandshakeMalformed},
		"unknown type":           {"Greeting", nil, nil, Malformed, BodyMalformed},
		"no base64":              {"Notification", nil, members{"Signature": "!"}, Malformed, SignatureMalformed},
	} {
		v := verifySNSWith(t, "sns.amazonaws.com", snsBody(t, test.kind, test.before, test.after), now)
		require.Equal(t, test.result, v.Result, "%s: %s", name, v.Explain())
		require.Equal(t, test.reason, v.Reason, name)
		require.Equal(t, test.result == Challenge, v.Fetch != nil, name)
	}
	for _, member := range []string{"Signature", "SigningCertURL", "TopicArn", "MessageId", "Timestamp"} {
		body := strings.Replace(string(snsBody(t, "Notification", nil, nil)), `"`+member+`"`, `"X"`, 1)
		require.Equal(t, FieldMissing, verifySNSWith(t, "sns.amazonaws.com", []byte(body), now).Reason, member)
	}
	body := snsBody(t, "Notification", nil, nil)
	require.Equal(t, OK, verifySNSWith(t, "sns.us-west-2.amazonaws.com", body, now).Result)
	require.Equal(t, CertificateUnusable, verifySNSWith(t, "sns.amazonaws.com.evil.example", body, now).Reason)
	require.Equal(t, CertificateUnusable, verifySNSWith(t, "s3.amazonaws.com", body, now).Reason)
	require.Equal(t, CertificateUnusable, verifySNSWith(t, "sns.amazonaws.com", body, time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)).Reason)
}

func TestSNS_AsksForItsCertificate(t *testing.T) {
	t.Parallel()
	body := snsBody(t, "SubscriptionConfirmation", nil, nil)
	v := verifyWith("aws_sns", snsTopic, Request{Body: body}, Options{}, time.Time{})
	require.Equal(t, BadSignature, v.Result, "whoever overlooks the fetch refuses")
	require.Equal(t, KeyNeeded, v.Reason)
	checkFetch(t, *v.Fetch)
	require.Equal(t, FetchCertificate, v.Fetch.Purpose)
	for _, fetched := range []string{"", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		v = verifyWith("aws_sns", snsTopic, Request{Body: body}, Options{Fetched: map[string][]byte{snsCert: []byte(fetched)}}, time.Time{})
		require.Equal(t, CertificateUnusable, v.Reason)
	}
	v = verifySNSWith(t, "sns.amazonaws.com", body, time.Time{})
	require.Equal(t, &Fetch{Purpose: FetchSubscription, Method: "GET", URL: snsURL, Host: "sns.us-west-2.amazonaws.com", Key: snsURL, MaxBytes: maxFetched}, v.Fetch)
}

func TestPinnedAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "http://sns.us-west-2.amazonaws.com/a.pem", "HTTPS://user@sns.us-west-2.amazonaws.com/a.pem", "https://sns.us-west-2.amazonaws.com:444/a.pem",
		"https://sns.us-west-2.amazonaws.com:443/a.pem", "https://sns.us-west-2.amazonaws.com.evil.example/a.pem", "https://evil.example/sns.us-west-2.amazonaws.com/a.pem",
		"https://sns.us-west-2.amazonaws.com\\@evil.example/a.pem", "https://evil.example#sns.us-west-2.amazonaws.com/a.pem", "https://sns.US-west-2.amazonaws.com/a.pem",
		"https://sns.us-west-2.amazonaws.com/a.pem#x", "https://sns.us-west-2.amazonaws.com/a.pem?b.pem", "https://sns.us-west-2.amazonaws.com/a", "//sns.us-west-2.amazonaws.com/a.pem",
		"https://sns.evil.example.amazonaws.com/a.pem", "https://sns..amazonaws.com/a.pem", "https://sns.us-west-2.amazonaws.com.cn.evil/a.pem", "https:sns.us-west-2.amazonaws.com/a.pem",
		"https://sns.us-west-2.amazonaws.com\n.evil.example/a.pem", "https://sns.us-west-2.amazonaws.com%2eevil.example/a.pem", "https://[::1]/a.pem",
	} {
		v := verifyWith("aws_sns", snsTopic, Request{Body: snsBody(t, "Notification", nil, map[string]string{"SigningCertURL": address})}, Options{}, time.Time{})
		require.Nil(t, v.Fetch, address)
		require.Equal(t, BadSignature, v.Result, address)
	}
	for _, address := range []string{snsCert, "https://sns.cn-north-1.amazonaws.com.cn/a.pem"} {
		v := verifyWith("aws_sns", snsTopic, Request{Body: snsBody(t, "Notification", nil, map[string]string{"SigningCertURL": address})}, Options{}, time.Time{})
		require.Equal(t, KeyNeeded, v.Reason, address)
	}
	for address, fetched := range map[string]bool{
		"https://api.paypal.com/v1/notifications/certs/CERT-1":          true,
		"https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1":  true,
		"https://api.paypal.com/v1/notifications/certs/../../oauth2":    false,
		"https://api.paypal.com/other":                                  false,
		"https://api.paypal.com/v1/notifications/certs/CERT-1?x=1":      false,
		"https://www.paypal.com/v1/notifications/certs/CERT-1":          false,
		"https://api.paypal.com.evil.com/v1/notifications/certs/CERT-1": false,
		"https://api.paypal.com@evil.com/v1/notifications/certs/CERT-1": false,
	} {
		v := verifyWith("paypal", "id", Request{Header: Header{
			{paypalAlgorithm, "SHA256withRSA"}, {paypalCertificate, address}, {paypalID, "1"}, {paypalSignature, "AAAA"}, {paypalTime, "t"},
		}}, Options{}, time.Time{})
		require.Equal(t, fetched, v.Fetch != nil, address)
		require.Equal(t, BadSignature, v.Result)
	}
}

func TestPayPal_NamesTheWebhookThatMatched(t *testing.T) {
	t.Parallel()
	const address = "https://api.paypal.com/v1/notifications/certs/CERT-1"
	paypal, _ := Lookup("paypal")
	body := []byte(`{"id":"WH-1","event_type":"X"}`)
	request := Request{Body: body, Header: Header{
		{paypalAlgorithm, "SHA256withRSA"}, {paypalCertificate, address}, {paypalID, "1"}, {paypalTime, "t"},
		{paypalSignature, signRSA(t, crypto.SHA256, fmt.Sprintf("1|t|two|%d", crc32.ChecksumIEEE(body)))},
	}}
	options := Options{Fetched: map[string][]byte{address: certificateFor(t, "messageverificationcerts.paypal.com")}}
	secrets := []Secret{{Name: "first", Value: "one"}, {Name: "second", Value: "two"}}
	v := paypal.Verify(request, secrets, options, time.Time{})
	require.Equal(t, OK, v.Result, v.Explain())
	require.Equal(t, "second", v.Secret)
	request.Body = append(request.Body, '\n')
	require.Equal(t, BodyReencoded, paypal.Verify(request, secrets, options, time.Time{}).Reason)
	options.Fetched[address] = certificateFor(t, "paypal.com.evil.example")
	require.Equal(t, CertificateUnusable, paypal.Verify(request, secrets, options, time.Time{}).Reason)
}

// plaidToken is a JWT of a key, over a body.
func plaidToken(t *testing.T, key *ecdsa.PrivateKey, header, body string, iat int64) string {
	t.Helper()
	sum := sha256.Sum256([]byte(body))
	claims, err := json.Marshal(map[string]any{"iat": iat, "request_body_sha256": hex.EncodeToString(sum[:])})
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode(claims)
	hash := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
	require.NoError(t, err)
	return signed + "." + encode(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

func jwkOf(t *testing.T, key *ecdsa.PrivateKey, kid, expired string) string {
	t.Helper()
	point, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	return `{"alg":"ES256","crv":"P-256","kid":"` + kid + `","kty":"EC","x":"` + encode(point[1:33]) + `","y":"` + encode(point[33:]) + `","expired_at":` + expired + `}`
}

func TestPlaid(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	const good, body = `{"alg":"ES256","kid":"k"}`, `{"webhook_type":"ITEM","webhook_code":"ERROR"}`
	now := time.Unix(1_700_000_000, 0)
	verify := func(secret, token, body string) Verdict {
		return verifyWith("plaid", secret, Request{Header: Header{{"Plaid-Verification", token}}, Body: []byte(body)}, Options{}, now)
	}
	jwk := jwkOf(t, key, "k", "null")
	token := plaidToken(t, key, good, body, now.Unix())
	for name, test := range map[string]struct {
		secret, token, body string
		reason              Reason
	}{
		"good":           {jwk, token, body, Verified},
		"other key":      {jwkOf(t, other, "k", "null"), token, body, WrongSecret},
		"other kid":      {jwkOf(t, key, "other", "null"), token, body, KeyUnknown},
		"expired":        {jwkOf(t, key, "k", "1699999999"), token, body, KeyUnknown},
		"expires":        {jwkOf(t, key, "k", "1700000001"), token, body, Verified},
		"other body":     {jwk, token, body + "\n", BodyChanged},
		"old":            {jwk, plaidToken(t, key, good, body, now.Unix()-301), body, TooOld},
		"none":           {jwk, plaidToken(t, key, `{"alg":"none","kid":"k"}`, body, now.Unix()), body, AlgorithmRefused},
		"HS256":          {jwk, plaidToken(t, key, `{"alg":"HS256","kid":"k"}`, body, now.Unix()), body, AlgorithmRefused},
		"alg twice":      {jwk, plaidToken(t, key, `{"alg":"HS256","alg":"ES256","kid":"k"}`, body, now.Unix()), body, AlgorithmRefused},
		"crit":           {jwk, plaidToken(t, key, `{"alg":"ES256","kid":"k","crit":["x"]}`, body, now.Unix()), body, AlgorithmRefused},
		"no kid":         {jwk, plaidToken(t, key, `{"alg":"ES256"}`, body, now.Unix()), body, SignatureMalformed},
		"two parts":      {jwk, token[:strings.LastIndex(token, ".")], body, SignatureMalformed},
		"no signature":   {jwk, token[:strings.LastIndex(token, ".")+1], body, SignatureMalformed},
		"secret of what": {"hunter2", token, body, SecretUnusable},
	} {
		require.Equal(t, test.reason, verify(test.secret, test.token, test.body).Reason, name)
	}
	require.Equal(t, "ITEM.ERROR", verify(jwk, token, body).Type)
	require.Contains(t, verify(jwk, token, body+"\n").Detail, "line break")
}

func TestPlaid_FetchesItsKey(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	request := Request{Header: Header{{"Plaid-Verification", plaidToken(t, key, `{"alg":"ES256","kid":"k\"/.."}`, "{}", 1)}}, Body: []byte("{}")}
	const secret = `{"client_id":"id","secret":"very-secret","environment":"sandbox"}`
	v := verifyWith("plaid", secret, request, Options{}, time.Time{})
	require.Equal(t, KeyNeeded, v.Reason)
	checkFetch(t, *v.Fetch)
	require.Equal(t, "https://sandbox.plaid.com/webhook_verification_key/get", v.Fetch.URL)
	require.JSONEq(t, `{"client_id":"id","secret":"very-secret","key_id":"k\"/.."}`, string(v.Fetch.Body))
	require.NotContains(t, v.Explain()+v.Fetch.Key, "very-secret")
	fetched := func(answer string) Verdict {
		return verifyWith("plaid", secret, request, Options{Fetched: map[string][]byte{v.Fetch.Key: []byte(answer)}}, time.Time{})
	}
	require.Equal(t, OK, fetched(`{"key":`+jwkOf(t, key, `k\"/..`, "null")+`,"request_id":"r"}`).Result)
	require.Equal(t, KeyUnknown, fetched(`{"key":`+jwkOf(t, key, `other`, "null")+`}`).Reason)
	require.Equal(t, KeyUnknown, fetched(`{"error_code":"INVALID_WEBHOOK_VERIFICATION_KEY_ID"}`).Reason)
}
