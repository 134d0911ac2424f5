package walk

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// tabTo goes on with the Tab key until something has the focus. Wherever it
// comes by must be seen.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 120 {
		b.press(kb.Tab)
		state := eval[string](b, fmt.Sprintf(`(e => {
			const style = getComputedStyle(e), box = e.getBoundingClientRect();
			if (e === document.body) return "";
			if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "not seen: " + e.outerHTML.slice(0, 150);
			if (box.width === 0 || box.bottom < 0 || box.right < 0) return "out of sight: " + e.outerHTML.slice(0, 150);
			return e.matches(%q) ? "there" : "";
		})(document.activeElement)`, selector))
		if state == "there" {
			return
		}
		require.Empty(b.t, state, "the focus")
	}
	require.Fail(b.t, "the Tab key does not lead to "+selector, "at %s", b.where())
}

func (b *tab) awaitFocus(selector string) {
	b.t.Helper()
	b.await(fmt.Sprintf("document.activeElement.matches(%q)", selector))
}

// The way of somebody without a mouse: from the log-in to a delivery sent again.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	h.endpoint("acme", playReceiver(t, receiver.First(1, receiver.Status(400), receiver.Polite())), map[string]any{"policy": "gateway"})
	h.publish("acme", "order.created", nil)
	dead := idOf(h.await("acme", "dead", 1)[0])
	h.takeOver()

	b := newTab(t, h.url)
	b.open("/deliveries")
	b.awaitFocus("[name=name]")
	b.press(operator, kb.Tab, password)
	require.Equal(t, 200, b.leads(pressEnter()))

	b.tabTo("a.skip")
	b.press(kb.Enter)
	b.awaitFocus("main")
	b.tabTo("[href='/deliveries/" + dead + "']")
	require.Equal(t, 200, b.leads(pressEnter()))

	b.press("/")
	b.awaitFocus(".find input")
	b.tabTo("[data-menu] summary")
	b.press(kb.Enter)
	b.await("document.querySelector('[data-menu]').open")
	b.tabTo("[href='/account']")
	b.press(kb.Escape)
	b.await("!document.querySelector('[data-menu]').open")
	b.awaitFocus("[data-menu] summary")

	for _, key := range []string{kb.Enter, " "} {
		b.tabToFrom("main", "[data-dialog=replay]")
		b.press(key)
		b.await("document.querySelector('#replay').matches(':modal')")
		b.tabTo("#replay button")
		b.tabTo("#replay [data-close]") // around, and not out of it
		b.press(kb.Escape)
		b.await("!document.querySelector('#replay').open")
		b.awaitFocus("[data-dialog=replay]")
	}
	b.press(kb.Enter)
	b.tabTo("#replay button")
	require.Equal(t, 200, b.leads(pressEnter()))
	h.await("acme", "delivered", 1)
}

// tabToFrom is tabTo from the beginning of a part on.
func (b *tab) tabToFrom(part, selector string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf("document.querySelector(%q).focus() || true", part))
	b.tabTo(selector)
}
