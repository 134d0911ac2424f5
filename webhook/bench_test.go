package webhook_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	official "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

func benchBody(size int) []byte { return bytes.Repeat([]byte("x"), size) }

func BenchmarkSign(b *testing.B) {
	current, old := webhook.GenerateSecret(), webhook.GenerateSecret()
	private, _ := webhook.GenerateKeyPair()
	theirs, err := official.NewWebhook(current.Reveal())
	require.NoError(b, err)
	for _, size := range []int{480, 200_000} {
		body := benchBody(size)
		for name, sign := range map[string]func() (string, error){
			"standard":         func() (string, error) { return webhook.Sign("evt_1", specTime, body, current) },
			"standard-2":       func() (string, error) { return webhook.Sign("evt_1", specTime, body, current, old) },
			"ed25519":          func() (string, error) { return webhook.Sign("evt_1", specTime, body, private) },
			"hex":              func() (string, error) { return webhook.SignHex(specTime, body, current) },
			"official-library": func() (string, error) { return theirs.Sign("evt_1", specTime, body) },
		} {
			b.Run(name+"/"+strconv.Itoa(size), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := sign(); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}

// A secret that is parsed for every signature pays for the key state each time.
func BenchmarkParseAndSign(b *testing.B) {
	text, body := webhook.GenerateSecret().Reveal(), benchBody(480)
	b.ReportAllocs()
	for b.Loop() {
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := webhook.Sign("evt_1", specTime, body, secret); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	verifier := newVerifier(b, specSecret)
	body := benchBody(480)
	signature, err := webhook.Sign(specID, specTime, body, mustParse(b, specSecret))
	require.NoError(b, err)
	header := headers(specID, specTime, signature)
	b.Run("good", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := verifier.Verify(header, body); err != nil {
				b.Fatal(err)
			}
		}
	})
	// The dearest forgery: the largest body whose cause is still looked for.
	large := []byte(`["` + strings.Repeat(`é\u00e9`, (16<<10)/8-1) + `"]`)
	for name, secret := range map[string]string{"forged-16KiB": specSecret, "forged-16KiB-ed25519": specPublic} {
		verifier := newVerifier(b, secret)
		header := headers(specID, specTime, specV1+" "+specV1a)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := verifier.Verify(header, large); err == nil {
					b.Fatal("a forgery was accepted")
				}
			}
		})
	}
}
