package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	official "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/webhook"
)

const (
	specID   = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	specBody = `{"test": 2432232314}`
	specV1   = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	specV1a  = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=="
)

var specTime = time.Unix(1614265330, 0)

// The vectors are those of the official libraries and, for v1a, of Svix's server.
func TestSign_S04_PublicVectors(t *testing.T) {
	t.Parallel()
	secret, private := mustParse(t, specSecret), mustParse(t, specPrivate)
	for _, c := range []struct {
		secrets []webhook.Secret
		want    string
	}{
		{[]webhook.Secret{secret}, specV1},
		{[]webhook.Secret{private}, specV1a},
		{[]webhook.Secret{mustParse(t, specSeed)}, specV1a},
		{[]webhook.Secret{secret, private}, specV1 + " " + specV1a},
		{[]webhook.Secret{private, secret}, specV1a + " " + specV1},
	} {
		got, err := webhook.Sign(specID, specTime.Add(999*time.Millisecond), []byte(specBody), c.secrets...)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestSign_S05_EveryLiveSecretSignsCurrentFirst(t *testing.T) {
	t.Parallel()
	current, old := webhook.GenerateSecret(), webhook.GenerateSecret()
	one, err := webhook.Sign("evt_1", specTime, []byte("x"), current)
	require.NoError(t, err)
	two, err := webhook.Sign("evt_1", specTime, []byte("x"), old)
	require.NoError(t, err)
	both, err := webhook.Sign("evt_1", specTime, []byte("x"), current, old)
	require.NoError(t, err)
	require.Equal(t, one+" "+two, both)
}

func TestSignHex_FairQueue_F10(t *testing.T) {
	t.Parallel()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(specSecret, "whsec_"))
	require.NoError(t, err)
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte("1614265330." + specBody))
	want := "v1=" + hex.EncodeToString(mac.Sum(nil))

	got, err := webhook.SignHex(specTime, []byte(specBody), mustParse(t, specSecret))
	require.NoError(t, err)
	require.Equal(t, want, got)
	// Computed once with: printf '1614265330.{"test": 2432232314}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:…
	require.Equal(t, "v1=e96203c6de850e7dc1fde7489ef6140b402d3a5a64fe250cd2eef9830fac1cef", got)

	other := webhook.GenerateSecret()
	alone, err := webhook.SignHex(specTime, []byte(specBody), other)
	require.NoError(t, err)
	both, err := webhook.SignHex(specTime, []byte(specBody), other, mustParse(t, specSecret))
	require.NoError(t, err)
	require.Equal(t, alone+","+want, both)
}

func TestSign_Refuses(t *testing.T) {
	t.Parallel()
	secret, private := mustParse(t, specSecret), mustParse(t, specPrivate)
	for _, id := range []string{
		"", "evt.1", ".", "evt 1", "evt\r\nx-evil: 1", "evt\x00", "evt\x7f", "é", "\xff", strings.Repeat("a", webhook.MaxIDBytes+1),
	} {
		_, err := webhook.Sign(id, specTime, nil, secret)
		require.ErrorIs(t, err, webhook.ErrBadID, "%q", id)
	}
	_, err := webhook.Sign(strings.Repeat("~", webhook.MaxIDBytes), specTime, nil, secret)
	require.NoError(t, err)

	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Unix(-1, 0), time.Unix(specTime.UnixMilli(), 0)} {
		_, err = webhook.Sign("evt_1", at, nil, secret)
		require.ErrorIs(t, err, webhook.ErrBadTimestamp, at)
		_, err = webhook.SignHex(at, nil, secret)
		require.ErrorIs(t, err, webhook.ErrBadTimestamp, at)
	}
	for _, secrets := range [][]webhook.Secret{nil, {{}}, {secret, {}}} {
		_, err = webhook.Sign("evt_1", specTime, nil, secrets...)
		require.ErrorIs(t, err, webhook.ErrNoSecret)
		_, err = webhook.SignHex(specTime, nil, secrets...)
		require.ErrorIs(t, err, webhook.ErrNoSecret)
	}
	_, err = webhook.Sign("evt_1", specTime, nil, secret, private.Public())
	require.ErrorIs(t, err, webhook.ErrCannotSign)
	_, err = webhook.SignHex(specTime, nil, secret, private)
	require.ErrorIs(t, err, webhook.ErrNotSymmetric)
}

func drawID() *rapid.Generator[string] { return rapid.StringMatching(`[!-\-/-~]{1,60}`) }

// Whatever one side signs, the other side's verifier accepts.
func TestSign_S04_AgreesWithTheOfficialLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), webhook.MinSecretBytes, webhook.MaxSecretBytes).Draw(t, "secret")
		id := drawID().Draw(t, "id")
		at := time.Unix(rapid.Int64Range(1, 99_999_999_999).Draw(t, "timestamp"), 0)
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		text := "whsec_" + base64.StdEncoding.EncodeToString(raw)
		secret, err := webhook.ParseSecret(text)
		require.NoError(t, err)
		theirs, err := official.NewWebhook(text)
		require.NoError(t, err)

		ours, err := webhook.Sign(id, at, body, webhook.GenerateSecret(), secret)
		require.NoError(t, err)
		require.NoError(t, theirs.VerifyIgnoringTimestamp(body, headers(id, at, ours)))

		signed, err := theirs.Sign(id, at, body)
		require.NoError(t, err)
		verifier, err := webhook.NewVerifier([]webhook.Secret{secret}, clockAt(at))
		require.NoError(t, err)
		message, err := verifier.Verify(headers(id, at, signed), body)
		require.NoError(t, err)
		require.Equal(t, id, message.ID)
		require.Equal(t, body, message.Body)
	})
}

// The cached HMAC state is shared: goroutines must not mix their sums.
func TestSign_OneSecretManyGoroutines(t *testing.T) {
	t.Parallel()
	secret := mustParse(t, specSecret)
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 200 {
				body := []byte(strings.Repeat("x", g*200+i))
				got, err := webhook.Sign("evt_1", specTime, body, secret)
				fresh, freshErr := webhook.Sign("evt_1", specTime, body, mustParse(t, specSecret))
				if err != nil || freshErr != nil || got != fresh {
					t.Errorf("signed %q, a fresh secret %q: %v %v", got, fresh, err, freshErr)
					return
				}
			}
		})
	}
	wait.Wait()
}

func headers(id string, at time.Time, signature string) http.Header {
	return http.Header{
		webhook.HeaderID:        {id},
		webhook.HeaderTimestamp: {strconv.FormatInt(at.Unix(), 10)},
		webhook.HeaderSignature: {signature},
	}
}

func clockAt(at time.Time) webhook.VerifierOption {
	return webhook.WithClock(func() time.Time { return at })
}
