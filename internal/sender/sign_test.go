package sender

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

// awkward bodies: none survives being decoded and encoded again.
var awkward = map[string]string{
	"plain":       `{"type":"a.b","data":{}}`,
	"unicode":     "{\"name\":\"Jo\u00e3o \U0001f4e8\", \"nul\":\"\\u0000\",  \"n\":12345678901234567890}",
	"white space": " {\r\n\t\"a\" : 1.0 }\n",
	"no JSON":     "\x00\xff\xfe binary",
	"one byte":    "1",
	"empty":       "",
	"large":       strings.Repeat(`{"x":"yyyyyyyy"},`, 12_000),
}

func TestSend_S04_OfficialLibraryVerifies(t *testing.T) {
	t.Parallel()
	for name, body := range awkward {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := claimFor("")
			claim.Event.Body = []byte(body)
			got := deliverOne(t, claim, standard(patient), time.Now())
			require.Equal(t, body, string(got.body))

			official, err := standardwebhooks.NewWebhook(claim.Endpoint.Secrets[0].Value)
			require.NoError(t, err)
			require.NoError(t, official.Verify(got.body, got.header))
			require.Error(t, official.Verify(append(got.body, ' '), got.header))
			verifies(t, got, claim.Endpoint.Secrets[0], webhook.SchemeStandard)
		})
	}
}

// verifies checks a request with a verifier that knows this secret only.
func verifies(t testing.TB, got request, secret delivery.Secret, scheme webhook.Scheme) {
	t.Helper()
	key, err := webhook.ParseSecret(secret.Value)
	require.NoError(t, err)
	verifier, err := webhook.NewVerifier([]webhook.Secret{key}, webhook.WithScheme(scheme))
	require.NoError(t, err)
	_, err = verifier.Verify(got.header, got.body)
	require.NoError(t, err)
}

// F10, computed here from the contract's words alone.
func TestSend_F10_TimestampHex(t *testing.T) {
	t.Parallel()
	for name, body := range awkward {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := claimFor("")
			claim.Event.Body = []byte(body)
			got := deliverOne(t, claim, fairQueue(patient), time.Now())

			key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(claim.Endpoint.Secrets[0].Value, "whsec_"))
			require.NoError(t, err)
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(got.header.Get("webhook-timestamp") + "." + body))
			require.Equal(t, "v1="+hex.EncodeToString(mac.Sum(nil)), got.header.Get("webhook-signature"))
			require.Equal(t, claim.Event.ID.Format(delivery.EventPrefix), got.header.Get("webhook-id"))
			verifies(t, got, claim.Endpoint.Secrets[0], webhook.SchemeHex)
		})
	}
}

func TestSend_S05_D14_RotationSignsWithEveryLiveSecret(t *testing.T) {
	t.Parallel()
	now := time.Now()
	current := newSecret(webhook.GenerateSecret(), time.Time{})
	outgoing := newSecret(webhook.GenerateSecret(), now.Add(time.Hour))
	expired := newSecret(webhook.GenerateSecret(), now)
	for scheme, p := range map[webhook.Scheme]*policy.Policy{webhook.SchemeStandard: standard(patient), webhook.SchemeHex: fairQueue(patient)} {
		claim := claimFor("")
		claim.Endpoint.Secrets = []delivery.Secret{current, outgoing, expired}
		got := deliverOne(t, claim, p, now)
		verifies(t, got, current, scheme)
		verifies(t, got, outgoing, scheme)

		value := got.header.Get("webhook-signature")
		require.Len(t, strings.FieldsFunc(value, func(r rune) bool {
			return r == ' ' || scheme == webhook.SchemeHex && r == ','
		}), 2)
		claim.Endpoint.Secrets = []delivery.Secret{current}
		alone := deliverOne(t, claim, p, now).header.Get("webhook-signature")
		require.True(t, strings.HasPrefix(value, alone), "the current secret's signature comes first")
	}
}

func TestSend_S04_KeyPair(t *testing.T) {
	t.Parallel()
	private, public := webhook.GenerateKeyPair()
	symmetric := newSecret(webhook.GenerateSecret(), time.Time{})
	claim := claimFor("")
	claim.Endpoint.Secrets = []delivery.Secret{symmetric, newSecret(private, time.Time{})}
	got := deliverOne(t, claim, standard(patient), time.Now())
	require.Regexp(t, `^v1,[A-Za-z0-9+/]{43}= v1a,[A-Za-z0-9+/]{86}==$`, got.header.Get("webhook-signature"))
	verifies(t, got, symmetric, webhook.SchemeStandard)
	verifies(t, got, newSecret(public, time.Time{}), webhook.SchemeStandard)

	// The hex scheme has no signature for key pairs, and nothing has one for their
	// public halves: the other secret signs alone.
	claim.Endpoint.Secrets = append(claim.Endpoint.Secrets, newSecret(public, time.Time{}))
	got = deliverOne(t, claim, fairQueue(patient), time.Now())
	require.Regexp(t, `^v1=[0-9a-f]{64}$`, got.header.Get("webhook-signature"))
}

// The vector that the Standard Webhooks libraries publish.
func TestSign_S04_PublishedVector(t *testing.T) {
	t.Parallel()
	value, refused := newKeyring().sign(policy.StandardWebhooks, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0),
		[]byte(`{"test": 2432232314}`), []delivery.Secret{{Value: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}})
	require.Nil(t, refused)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", value)
}

func TestKeyring_IsBounded(t *testing.T) {
	t.Parallel()
	keys := newKeyring()
	for i := range mostKeys {
		keys.keys[strconv.Itoa(i)] = webhook.Secret{}
	}
	secret := webhook.GenerateSecret()
	key, err := keys.key(secret.Reveal())
	require.NoError(t, err)
	require.Equal(t, secret.Reveal(), key.Reveal())
	require.LessOrEqual(t, len(keys.keys), mostKeys)
}
