package source

import (
	"bytes"
	"testing"
	"time"
)

// What a forged request costs at a public door, at worst, and what an honest one does.
func BenchmarkVerify(b *testing.B) {
	body := append(append([]byte(`{"a":"`), bytes.Repeat([]byte("é/"), maxDiagnosed/3-8)...), `"}`...)
	form := bytes.Repeat([]byte("a=%2F+&"), maxDiagnosed/7)
	for name, request := range map[string]Request{
		"forged github":   {Header: Header{{"X-Hub-Signature-256", sha("other", string(body))}}, Body: body},
		"honest github":   {Header: Header{{"X-Hub-Signature-256", sha("s", string(body))}}, Body: body},
		"forged twilio":   {URL: "https://a.example/", Header: Header{twilioSign("other", "")}, Body: form},
		"forged sendgrid": {Header: Header{{sendgridSignature, "MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0="}, {sendgridTimestamp, "1"}}, Body: body},
	} {
		provider, secret := name[len("forged "):], "s"
		if provider == "sendgrid" {
			secret = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA=="
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = verifyWith(provider, secret, request, Options{}, time.Time{})
			}
		})
	}
}
