package walk

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// From the first start's link to a delivery that failed, and is sent again.
func TestFirstStart_SetsThePassword(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := newTab(t, h.url)
	require.Equal(t, 200, b.open(h.welcome))
	b.fill("[name=name]", operator)
	b.fill("[name=password]", password)
	b.fill("[name=again]", password)
	require.Equal(t, 200, b.follow("main button"))
	require.Contains(t, b.text(".who"), operator)

	b.click("[data-menu] summary")
	require.Equal(t, 200, b.follow("[action='/logout'] button"))
	require.Equal(t, "/login", b.path())

	// The link was for once.
	b.allow("status of 410", "status of 401")
	require.Equal(t, 410, b.open(h.welcome))

	require.Equal(t, 200, b.open("/deliveries?state=dead"), "the log-in comes in between")
	require.Equal(t, "/login?next=%2Fdeliveries%3Fstate%3Ddead", b.path())
	b.fill("[name=name]", operator)
	b.fill("[name=password]", "wrong horse battery")
	require.Equal(t, 401, b.follow("main form button"))
	b.fill("[name=password]", password)
	require.Equal(t, 200, b.follow("main form button"))
	require.Equal(t, "/deliveries?state=dead", b.path())
}

func TestFairQueue_F18_FoundByItsEventSeenAndSentAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	h.endpoint("acme", playReceiver(t, receiver.First(1, receiver.Status(413), receiver.Polite())), map[string]any{"policy": "fair-queue"})
	event := h.publish("acme", "order.created", nil)
	dead := h.await("acme", "dead", 1)[0]

	b := h.tab(h.takeOver())
	require.Equal(t, 200, b.open("/"))
	b.fill(".find input", event)
	b.leads(pressEnter())
	require.Equal(t, "/events/"+event, b.path())
	b.follow("main a[href='/deliveries/" + dead["id"].(string) + "']")
	require.Equal(t, 1, b.count(".timeline .status.bad"), "the attempt, with what came back")
	require.Contains(t, b.text(".timeline"), "413")

	b.click("[data-dialog=replay]")
	b.await("document.querySelector('#replay').matches(':modal')")
	require.Equal(t, 200, b.follow("#replay button"))
	require.Equal(t, "/deliveries/"+dead["id"].(string), b.path())
	h.await("acme", "delivered", 1)
	require.Equal(t, 200, b.open(b.path()))
	require.Equal(t, "Delivered", b.text(".head .badge"))
	require.Equal(t, 1, b.count(".timeline .status.good"))
}

// What a customer got is one page, and one file.
func TestAxxos_A10_WhatACustomerGotInAWeek(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	h.tenant("globex", "Globex")
	h.endpoint("acme", playReceiver(t, receiver.Polite()), map[string]any{"policy": "axxos"})
	for _, tenant := range []string{"acme", "globex", "acme"} {
		h.publish(tenant, "order.of-"+tenant, nil)
	}
	h.await("acme", "delivered", 2)
	session := h.takeOver()
	b := h.tab(session)
	b.open("/events")
	b.fill("main form [name=tenant]", "acme")
	week := time.Now().AddDate(0, 0, -7).UTC().Format("2006-01-02T15:04")
	b.do(choose("main form [name=since]", week))
	b.do(chromedp.Submit(chromedp.CSS("main form [name=tenant]")))
	b.await("document.querySelectorAll('main tbody tr').length === 2")
	require.NotContains(t, b.text("main"), "globex")
	file := h.get(session, eval[string](b, "document.querySelector(\"main a[href*='format=csv']\").getAttribute('href')"))
	require.Equal(t, 200, file.status)
	require.Len(t, strings.Split(strings.TrimSpace(file.body), "\n"), 3, "a head, and a line for each: %s", file.body)
}
