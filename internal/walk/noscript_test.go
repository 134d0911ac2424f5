package walk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// The way of somebody whose browser runs no scripts.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	h.endpoint("acme", playReceiver(t, receiver.First(2, receiver.Status(400), receiver.Polite())), map[string]any{"policy": "gateway"})
	event := h.publish("acme", "order.created", nil)
	h.publish("acme", "order.paid", nil)
	h.await("acme", "dead", 2)
	b := newTab(t, h.url)
	b.withoutScripts()
	b.open(h.welcome)
	b.fill("[name=name]", operator)
	b.fill("[name=password]", password)
	b.fill("[name=again]", password)
	require.Equal(t, 200, b.follow("main button"))

	b.follow(".side [href='/deliveries']")
	b.do(choose("main form.filters [name=state]", "dead"))
	b.fill("main form.filters [name=type]", "order.created")
	require.Equal(t, 200, b.follow("main form.filters button"))
	require.Equal(t, 1, b.count("main tbody tr"))

	b.fill(".find input", event)
	b.leads(pressEnter())
	b.follow("main td a[href^='/deliveries/']")
	here := b.path()

	// Dialogs are parts of a page of their own, then.
	require.Equal(t, 200, b.follow("[data-dialog=resolve]"))
	require.Equal(t, here+"?dialog=resolve", b.path())
	require.Equal(t, 200, b.follow("#resolve [data-close]"))
	require.Equal(t, here, b.path())
	b.follow("[data-dialog=replay]")
	require.Equal(t, 200, b.follow("#replay button"))
	require.NotEmpty(t, b.text(".notice-done"))
	h.await("acme", "delivered", 1)

	b.open(here)
	require.Zero(t, b.count(".notice"), "a notice is for once")
	b.click("[data-menu] summary")
	require.Equal(t, 200, b.follow("[name=language][value^=pt]"))
	require.Equal(t, here, b.path())
	require.Contains(t, b.text("nav.side"), "Entregas")
	require.NotContains(t, eval[string](b, "document.documentElement.outerHTML"), "data-following", "no script ran")
}

// The same for what somebody has to do now and then.
func TestWithoutScripts_QueueSecretAndPause(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	endpoint := h.endpoint("acme", playReceiver(t, receiver.First(3, receiver.Status(400), receiver.Polite())), map[string]any{"policy": "axxos"})
	for range 3 {
		h.publish("acme", "order.created", nil)
	}
	h.await("acme", "dead", 3)
	b := h.tab(h.takeOver())
	b.withoutScripts()

	b.allow("status of 422")
	b.open("/dlq")
	require.Equal(t, 422, b.follow("button[name=do][value=preview]"), "nothing is ticked")
	require.NotZero(t, b.count("main .notice-failed"))
	require.Equal(t, 200, b.follow(".toolbar [data-unscripted]"))
	require.Equal(t, 3, b.count("main input[name=ids]:checked"))
	require.Equal(t, 200, b.follow("button[name=do][value=preview]"))
	require.Equal(t, 200, b.follow("dialog[open] button.primary"))
	h.await("acme", "delivered", 3)

	b.open("/endpoints/" + endpoint + "/secrets")
	require.Equal(t, 200, b.follow("[data-dialog=rotate]"))
	require.Equal(t, 201, b.follow("#rotate[open] button"))
	require.Regexp(t, "^whsec_", b.text("main .callout code"))

	b.open("/endpoints/" + endpoint)
	require.Equal(t, 200, b.follow("[data-dialog=pause]"))
	require.Equal(t, 200, b.follow("#pause[open] button"))
	require.Equal(t, "paused", h.must(200, "GET", "/v1/webhook_endpoints/"+endpoint, nil)["status"])
	require.Equal(t, 200, b.follow("[data-dialog=resume]"))
	require.Equal(t, 200, b.follow("#resume[open] button"))
	require.Equal(t, "active", h.must(200, "GET", "/v1/webhook_endpoints/"+endpoint, nil)["status"])
}
