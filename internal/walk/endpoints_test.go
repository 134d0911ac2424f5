package walk

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
	"github.com/malotehq/malote/webhook"
)

// A secret is rotated, shown once, and signs from then on: a receiver that has
// nothing but what the page showed believes what comes.
func TestDracma_D14_ASecretIsRotated(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	var shown atomic.Pointer[receiver.Receiver]
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { shown.Load().ServeHTTP(w, r) }))
	endpoint := h.endpoint("acme", address, nil)
	b := h.tab(h.takeOver())
	b.open("/endpoints/" + endpoint)
	b.follow("nav.tabs a[href$='/secrets']")
	require.Equal(t, 1, b.count("main tbody tr"))
	b.click("[data-dialog=rotate]")
	b.await("document.querySelector('#rotate').matches(':modal')")
	require.Equal(t, 201, b.follow("#rotate button"))
	written := b.text("main .callout code")
	require.Regexp(t, "^whsec_", written)

	secret, err := webhook.ParseSecret(written)
	require.NoError(t, err)
	verifier, err := webhook.NewVerifier([]webhook.Secret{secret})
	require.NoError(t, err)
	shown.Store(receiver.New(receiver.Options{Verifier: verifier}))
	b.open("/endpoints/" + endpoint)
	require.Equal(t, 200, b.follow("form[action$='/test'] button"))
	require.Contains(t, b.text("main .notice, main .callout"), "200")
	require.EqualValues(t, 1, shown.Load().Counts().Accepted)

	b.open("/endpoints/" + endpoint + "/secrets")
	require.Equal(t, 2, b.count("main tbody tr"), "both sign for a while")
	require.NotContains(t, eval[string](b, "document.documentElement.outerHTML"), written, "it is shown once")
}

func TestAnEndpoint_IsPausedAndResumed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	endpoint := h.endpoint("acme", playReceiver(t, receiver.Polite()), nil)
	b := h.tab(h.takeOver())
	b.open("/endpoints")
	b.follow("main tbody a[href='/endpoints/" + endpoint + "']")
	b.click("[data-dialog=pause]")
	require.Equal(t, 200, b.follow("#pause button"))
	require.Contains(t, b.text("#endpoint-now .callout"), "Paused by "+operator)
	h.publish("acme", "a.b", nil)
	h.await("acme", "pending", 1)
	b.click("[data-dialog=resume]")
	require.Equal(t, 200, b.follow("#resume button"))
	require.NotContains(t, b.text("#endpoint-now .callout"), "Paused")
	h.await("acme", "delivered", 1)
}
