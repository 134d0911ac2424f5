package webhook_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// sdkVector is one request of sdk/testdata/standard-webhooks.json. The SDKs in
// other languages pass the same file, so that all of them keep this package's
// rules.
type sdkVector struct {
	Name     string
	Scheme   webhook.Scheme
	Secrets  []string
	Foreign  bool // a secret is shorter than Malote's own may be
	Headers  map[string]string
	Body     []byte `json:"body_base64"`
	Now      int64
	Seconds  *int64 `json:"tolerance"`
	OK       bool
	Secret   int // the place of the secret that matched
	Reason   webhook.Reason
	Header   string
	Skew     *int64 `json:"skew_seconds"`
	Diagnose string `json:"diagnosis"`
}

func TestVerify_SDKVectors(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../sdk/testdata/standard-webhooks.json")
	require.NoError(t, err)
	var vectors []sdkVector
	require.NoError(t, json.Unmarshal(file, &vectors))
	require.Greater(t, len(vectors), 90)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for name, value := range v.Headers {
				header.Set(name, value)
			}
			message, err := v.verifier(t).Verify(header, v.Body)
			if v.OK {
				require.NoError(t, err)
				require.Equal(t, v.Secret, message.Secret)
				return
			}
			v.requireRefusal(t, err)
		})
	}
}

func (v sdkVector) verifier(t *testing.T) *webhook.Verifier {
	t.Helper()
	parse := webhook.ParseSecret
	if v.Foreign {
		parse = webhook.ParseForeignSecret
	}
	var secrets []webhook.Secret
	for _, text := range v.Secrets {
		secret, err := parse(text)
		require.NoError(t, err)
		secrets = append(secrets, secret)
	}
	options := []webhook.VerifierOption{clockAt(time.Unix(v.Now, 0))}
	if v.Scheme != "" {
		options = append(options, webhook.WithScheme(v.Scheme))
	}
	if v.Seconds != nil {
		options = append(options, webhook.WithTolerance(time.Duration(*v.Seconds)*time.Second))
	}
	verifier, err := webhook.NewVerifier(secrets, options...)
	require.NoError(t, err)
	return verifier
}

// requireRefusal compares what the vector says about the refusal; it need not
// say everything.
func (v sdkVector) requireRefusal(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, v.Reason)
	refused, ok := errors.AsType[*webhook.VerifyError](err)
	require.True(t, ok)
	require.Equal(t, v.Header, refused.Header)
	if v.Skew != nil {
		require.Equal(t, *v.Skew, refused.SkewSeconds)
	}
	if v.Diagnose != "" {
		require.Equal(t, webhook.Diagnosis(v.Diagnose), refused.Diagnosis)
	}
}
