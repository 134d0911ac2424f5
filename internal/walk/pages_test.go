package walk

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// furnished is a house with things in every state, its administrator, and all
// of its pages.
type furnished struct {
	*house
	session []*http.Cookie
	pages   []string
}

// TestEveryPage is what holds for all pages there are. The parts only look.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	f := furnished{house: h}
	seeds := append([]string{"/now"}, h.furnish()...)
	f.session = h.takeOver()
	var reached map[string]bool
	f.pages, reached = h.crawl(f.session, seeds...)
	for _, route := range routesOf(http.MethodGet) {
		isDoor := slices.Contains([]string{"/login", "/welcome/{token}", "/portal/{token}"}, route) // TestDoors_AreForEverybody, TestPortal_IsForEverybody
		if !isDoor && !strings.HasSuffix(route, "/stream") {
			require.True(t, reached[route], "no link leads to %s: give the crawl an address", route)
		}
	}
	for name, part := range map[string]func(*furnished){
		"is for everybody": (*furnished).isForEverybody, "is in Portuguese": (*furnished).isInPortuguese,
		"is in no frame": (*furnished).isInNoFrame, "has a picture": (*furnished).hasPicture,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(&furnished{house: h.on(t), session: f.session, pages: f.pages})
		})
	}
}

// isForEverybody: in both colour schemes and at two widths, with every dialog
// open.
func (f *furnished) isForEverybody() {
	queue := make(chan string, len(f.pages))
	for _, address := range f.pages {
		queue <- address
	}
	close(queue)
	var workers sync.WaitGroup
	for range 2 {
		b := f.tab(f.session)
		workers.Go(func() {
			for address := range queue {
				f.t.Run(address, func(t *testing.T) { b.on(t).measure(address) })
			}
		})
	}
	workers.Wait()
}

// measure holds a page to what all pages have in common.
func (b *tab) measure(address string) {
	b.t.Helper()
	require.Equal(b.t, 200, b.open(address))
	b.measureShown()
	b.size(390, 844)
	b.measureDialogs(b.inspect())
	require.Empty(b.t, b.found())
}

func (b *tab) measureDialogs(w world) {
	b.t.Helper()
	for _, id := range eval[[]string](b, `[...document.querySelectorAll("dialog")].map(d => d.id)`) {
		selector := "#" + id
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			eval[bool](b, fmt.Sprintf("document.querySelector(%q).showModal() || true", selector))
			w.requireAccessible("in a dialog", selector, allRules)
			b.requireNoSideways()
			eval[bool](b, fmt.Sprintf("document.querySelector(%q).close() || true", selector))
		}
	}
	b.dark(false)
	b.size(1280, 900)
}

// requireNoSideways: nothing is wider than the window.
func (b *tab) requireNoSideways() {
	b.t.Helper()
	wide := eval[[]string](b, `(() => {
		const page = document.documentElement, scrolls = e => e && e !== page && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
		if (page.scrollWidth <= page.clientWidth) return [];
		const edges = e => { const range = document.createRange(); range.selectNodeContents(e); return [e, range].map(r => r.getBoundingClientRect().right); };
		return [...document.querySelectorAll("body *")].filter(e => Math.max(...edges(e)) > page.clientWidth + 1 && !scrolls(e))
			.slice(-5).map(e => e.outerHTML.slice(0, 200)).concat("the page is " + page.scrollWidth + " wide");
	})()`)
	require.Empty(b.t, wide, "wider than the window at %s", b.where())
}
