package source

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Providers whose signature does not cover the body, or not every byte of it.
var uncovered = []string{
	"adyen", "asaas", "aws_sns", "gitlab", "mailgun", "mercadopago", "msgraph", "okta", "postmark",
	"twilio", // a form may be written in several ways
}

// Providers whose secret is a public key or an identifier in text: some bits of
// that text say nothing.
var publicSecrets = []string{"plaid", "sendgrid", "discord"}

// accepted are the records that hold, one for each provider and with a
// signature of one version, so that every part of the header counts.
func accepted(t testing.TB) []Record {
	t.Helper()
	var records []Record
	for _, v := range vectors(t) {
		several := strings.Contains(v.Name, "mult") || strings.Contains(v.Name, "two") ||
			strings.Contains(v.Name, "exactly at") || strings.Contains(v.Name, "second")
		record, err := ParseRecord(v.text)
		require.NoError(t, err)
		seen := slices.ContainsFunc(records, func(r Record) bool { return r.Provider == record.Provider })
		if v.Expect == OK && !several && !seen {
			records = append(records, record)
		}
	}
	require.Equal(t, 39, len(records))
	return records
}

func (r Record) clone() Record {
	r.Request.Body = bytes.Clone(r.Request.Body)
	r.Request.Header = slices.Clone(r.Request.Header)
	r.Secrets = slices.Clone(r.Secrets)
	return r
}

func accepts(r Record) bool {
	v, _, _ := r.Verify()
	return v.Accepted()
}

func flip(t *rapid.T, text []byte, label string) []byte {
	flipped := bytes.Clone(text)
	bit := rapid.IntRange(0, 8*len(text)-1).Draw(t, label)
	flipped[bit/8] ^= 1 << (bit % 8)
	return flipped
}

func TestFlippedBitsNeverVerify(t *testing.T) {
	t.Parallel()
	records := accepted(t)
	rapid.Check(t, func(t *rapid.T) {
		whole := records[rapid.IntRange(0, len(records)-1).Draw(t, "record")]
		whole.Options.Thorough = false
		if len(whole.Request.Body) > 0 && !slices.Contains(uncovered, whole.Provider) {
			r := whole.clone()
			r.Request.Body = flip(t, r.Request.Body, "bit of the body")
			require.False(t, accepts(r), "%s: %q", r.Provider, r.Request.Body)
		}
		if !slices.Contains(publicSecrets, whole.Provider) {
			r := whole.clone()
			old := r.Secrets[0].Value
			r.Secrets[0].Value = string(flip(t, []byte(old), "bit of the secret"))
			same := strings.EqualFold(old, r.Secrets[0].Value) && strings.HasPrefix(r.Provider, "adyen")
			require.False(t, !same && accepts(r), "%s: %q", r.Provider, r.Secrets[0].Value)
		}
		provider, _ := Lookup(whole.Provider)
		at := slices.IndexFunc(whole.Request.Header, func(f Field) bool {
			return len(provider.Headers) > 0 && strings.EqualFold(f.Name, provider.Headers[0])
		})
		if at >= 0 && whole.Provider != "aws_sns" {
			r := whole.clone()
			old := r.Request.Header[at].Value
			r.Request.Header[at].Value = string(flip(t, []byte(old), "bit of the signature"))
			same := strings.EqualFold(old, r.Request.Header[at].Value) // hexadecimal, or the name of a scheme
			require.False(t, !same && accepts(r), "%s: %q", r.Provider, r.Request.Header[at].Value)
		}
	})
}

func TestAnotherTimeNeverVerifies(t *testing.T) {
	t.Parallel()
	for _, whole := range accepted(t) {
		for i, f := range whole.Request.Header {
			if name := strings.ToLower(f.Name); !strings.Contains(name, "timestamp") && name != "paypal-transmission-time" {
				continue
			}
			r := whole.clone()
			r.Options.Window = NoWindow
			digit := r.Request.Header[i].Value
			r.Request.Header[i].Value = digit[:len(digit)-1] + string('0'+(digit[len(digit)-1]-'0'+1)%10)
			require.False(t, accepts(r), "%s: %s", r.Provider, r.Request.Header[i].Value)
		}
	}
}

func TestHeadersInAnyForm(t *testing.T) {
	t.Parallel()
	records := accepted(t)
	rapid.Check(t, func(t *rapid.T) {
		r := records[rapid.IntRange(0, len(records)-1).Draw(t, "record")].clone()
		want, _, _ := r.Verify()
		r.Request.Header = rapid.Permutation(r.Request.Header).Draw(t, "order")
		for i, f := range r.Request.Header {
			name := []byte(f.Name)
			for at := range name {
				if rapid.Bool().Draw(t, "upper") {
					name[at] = bytes.ToUpper(name[at : at+1])[0]
				} else {
					name[at] = bytes.ToLower(name[at : at+1])[0]
				}
			}
			space := rapid.SampledFrom([]string{"", " ", "\t ", "   "})
			r.Request.Header[i] = Field{string(name), space.Draw(t, "before") + f.Value + space.Draw(t, "behind")}
		}
		r.Request.Header = append(r.Request.Header, Field{"X-Unrelated", "yes"})
		got, _, _ := r.Verify()
		require.Equal(t, want, got)
	})
}

func TestHeadersTwiceAreRefused(t *testing.T) {
	t.Parallel()
	for _, whole := range accepted(t) {
		provider, _ := Lookup(whole.Provider)
		for _, f := range whole.Request.Header {
			if !slices.ContainsFunc(provider.Headers[:min(1, len(provider.Headers))], func(h string) bool { return strings.EqualFold(h, f.Name) }) ||
				whole.Provider == "aws_sns" { // its headers are not signed and not looked at
				continue
			}
			for _, second := range []string{f.Value, "sha256=00", ""} {
				for _, header := range []Header{{f, {strings.ToUpper(f.Name), second}}, {{strings.ToUpper(f.Name), second}, f}} {
					r := whole.clone()
					others := slices.DeleteFunc(slices.Clone(r.Request.Header), func(o Field) bool { return o == f })
					r.Request.Header = append(others, header...)
					v, _, _ := r.Verify()
					require.Equal(t, Malformed, v.Result, "%s: %v", r.Provider, header)
					require.Equal(t, HeaderTwice, v.Reason)
				}
			}
		}
	}
}

func TestEmptySecretsNeverVerify(t *testing.T) {
	t.Parallel()
	for _, whole := range accepted(t) {
		for _, secrets := range [][]Secret{nil, {}, {{Name: "empty"}}, {{Name: "a"}, {Name: "b"}}} {
			r := whole.clone()
			r.Secrets = secrets
			v, _, _ := r.Verify()
			require.Equal(t, BadSignature, v.Result, r.Provider)
			require.Equal(t, NoSecret, v.Reason, r.Provider)
		}
	}
}

func TestAnyOfSeveralSecretsMatches(t *testing.T) {
	t.Parallel()
	for _, whole := range accepted(t) {
		for place := range 3 {
			r := whole.clone()
			live := Secret{Name: "live", Value: r.Secrets[0].Value}
			r.Secrets = slices.Insert([]Secret{{Name: "old", Value: "another-secret"}, {Name: "empty"}}, place, live)
			v, _, _ := r.Verify()
			require.Equal(t, OK, v.Result, "%s: %s", r.Provider, v.Explain())
			require.Equal(t, "live", v.Secret)
		}
		r := whole.clone()
		r.Secrets[0].Role = RoleHandshake
		require.False(t, accepts(r), "%s: a handshake's secret signed an event", r.Provider)
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	for _, whole := range accepted(t) {
		provider, _ := Lookup(whole.Provider)
		for i, f := range whole.Request.Header {
			if len(provider.Headers) == 0 || !strings.EqualFold(provider.Headers[0], f.Name) || whole.Provider == "aws_sns" {
				continue
			}
			for _, filler := range []string{"a", ",v1=aa", " v1,aa", ".", "="} {
				r := whole.clone()
				r.Request.Header[i].Value += strings.Repeat(filler, 1<<20)
				v, _, _ := r.Verify()
				require.Equal(t, HeaderTooLong, v.Reason, r.Provider)
			}
		}
	}
}

// A batch's items are parts of the body, in order; what is one event is all of it.
func TestItemsAreTheBodysOwnBytes(t *testing.T) {
	t.Parallel()
	for _, r := range accepted(t) {
		before := bytes.Clone(r.Request.Body)
		v, _, _ := r.Verify()
		rest := r.Request.Body
		for _, item := range v.Items {
			_, after, found := bytes.Cut(rest, item.Body)
			require.True(t, found, r.Provider)
			rest = after
		}
		require.Equal(t, before, r.Request.Body, "it was changed")
	}
}

func TestVerdictsHoldNoSecret(t *testing.T) {
	t.Parallel()
	for _, vector := range vectors(t) {
		record, err := ParseRecord(vector.text)
		require.NoError(t, err)
		record.Secrets = []Secret{{Name: "name", Value: "extraordinary-value"}}
		text, err := json.Marshal(record.Judge())
		require.NoError(t, err)
		require.NotContains(t, string(text), "extraordinary-value")
		require.NotContains(t, record.Secrets[0].String()+record.Secrets[0].GoString()+record.Secrets[0].LogValue().String(), "extraordinary")
	}
}
