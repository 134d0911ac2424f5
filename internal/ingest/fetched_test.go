package ingest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// fetching is a Fetcher of a function.
type fetching func(source.Fetch) ([]byte, error)

func (f fetching) Fetch(_ context.Context, _ delivery.ID, want source.Fetch) ([]byte, error) {
	return f(want)
}

// networkError says more than a tenant may know.
type networkError struct{ final bool }

func (networkError) Error() string {
	return "fetching from x: unavailable: lookup x on 10.0.0.53:53: refused"
}
func (networkError) Summary() string { return "fetching from x: unavailable" }
func (e networkError) Final() bool   { return e.final }

func encoded(content []byte) string { return base64.RawURLEncoding.EncodeToString(content) }

// signedByPlaid is a genuine request, and the key that it is known by.
func signedByPlaid(t *testing.T, id delivery.ID, body string) (*http.Request, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(body))
	token := encoded([]byte(`{"alg":"ES256","kid":"k","typ":"JWT"}`)) + "." +
		encoded(fmt.Appendf(nil, `{"iat":%d,"request_body_sha256":%q}`, time.Now().Unix(), hex.EncodeToString(sum[:])))
	hash := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
	require.NoError(t, err)
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	public, err := key.PublicKey.Bytes()
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodPost, pathOf(id), strings.NewReader(body))
	request.Header.Set("Plaid-Verification", token+"."+encoded(signature))
	return request, fmt.Appendf(nil, `{"key":{"alg":"ES256","kty":"EC","crv":"P-256","use":"sig","kid":"k","x":%q,"y":%q}}`,
		encoded(public[1:33]), encoded(public[33:]))
}

// Of several credentials one has the key: that the others do not know it is no
// reason to stop.
func TestDoor_TriesEverySecretsKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sandbox     []byte
		sandboxErr  error
		production  error
		status      int
		rejectedFor source.Reason
	}{
		"refused":             {sandboxErr: networkError{final: true}, status: 200},
		"another key":         {sandbox: []byte(`{"key":{"kty":"EC","crv":"P-256","kid":"other","x":"","y":""}}`), status: 200},
		"refused by all":      {sandboxErr: networkError{final: true}, production: networkError{final: true}, status: 401, rejectedFor: source.KeyUnknown},
		"one does not answer": {sandboxErr: networkError{final: false}, status: 503, rejectedFor: FetchFailed},
	} {
		var key []byte
		r := newRig(t, func(o *Options) {
			o.Fetcher = fetching(func(want source.Fetch) ([]byte, error) {
				if strings.Contains(want.Host, "sandbox") {
					return c.sandbox, c.sandboxErr
				}
				if c.production != nil {
					return nil, c.production
				}
				return key, nil
			})
		})
		id := r.put(Source{Provider: "plaid", Secrets: []source.Secret{
			{Name: "new", Value: `{"client_id":"c","secret":"s","environment":"sandbox"}`},
			{Name: "old", Value: `{"client_id":"c","secret":"s","environment":"production"}`},
		}})
		var request *http.Request
		request, key = signedByPlaid(t, id, `{"webhook_type":"ITEM"}`)
		answer := r.do(request)
		require.Equal(t, c.status, answer.Code, name+answer.Body.String())
		rejections, _ := r.door.rejections.take(all)
		if c.rejectedFor == "" {
			require.Empty(t, rejections, name)
			continue
		}
		require.Len(t, rejections, 1, name)
		require.Equal(t, c.rejectedFor, rejections[0].Reason, name)
		require.Equal(t, networkError{}.Summary(), rejections[0].Detail, "nothing of the operator's network")
	}
}
