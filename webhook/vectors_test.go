package webhook_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// verdicts translates a reason into the vectors' words, which have one for a
// timestamp that is off in either direction.
var verdicts = map[webhook.Reason]string{
	webhook.ReasonMissingHeader: "missing_header",
	webhook.ReasonMalformed:     "malformed",
	webhook.ReasonStale:         "stale",
	webhook.ReasonFuture:        "stale",
	webhook.ReasonBadSignature:  "bad_signature",
}

// The published vectors of Standard Webhooks and Svix, and negative ones derived
// from them.
func TestVerify_InboundVectors(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/inbound_vectors.json")
	require.NoError(t, err)
	var vectors []struct {
		Provider, Name, Secret, Expect string
		Headers                        map[string]string
		Body                           []byte   `json:"body_b64"`
		Now                            int64    `json:"now_unix"`
		Tolerance                      int64    `json:"tolerance_s"`
		EventID                        string   `json:"event_id"`
		AcceptAlso                     []string `json:"accept_also"`
	}
	require.NoError(t, json.Unmarshal(file, &vectors))
	require.Len(t, vectors, 12)
	for _, v := range vectors {
		t.Run(v.Provider+"/"+v.Name, func(t *testing.T) {
			t.Parallel()
			secret, err := webhook.ParseForeignSecret(v.Secret)
			require.NoError(t, err)
			verifier, err := webhook.NewVerifier([]webhook.Secret{secret}, clockAt(time.Unix(v.Now, 0)),
				webhook.WithTolerance(time.Duration(v.Tolerance)*time.Second))
			require.NoError(t, err)
			header := http.Header{}
			for name, value := range v.Headers {
				header.Set(name, value)
			}
			verdict := "ok"
			message, err := verifier.Verify(header, v.Body)
			if refused, ok := errors.AsType[*webhook.VerifyError](err); ok {
				verdict = verdicts[refused.Reason]
			} else {
				require.NoError(t, err)
				require.Equal(t, v.EventID, message.ID)
			}
			require.Contains(t, slices.Concat([]string{v.Expect}, v.AcceptAlso), verdict, err)
		})
	}
}
