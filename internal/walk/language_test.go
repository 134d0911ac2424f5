package walk

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// leftEnglish are words that a page in Portuguese does not have, but in what
// customers wrote themselves.
var leftEnglish = regexp.MustCompile(`\b(Deliver(y|ies)|Attempts?|Search|Settings|Log (in|out)|Nothing|Next|Pending|Show|Save|Cancel|Close)\b`)

func TestPortuguese(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	pages := h.furnish()
	session := h.takeOver()
	b := h.tab(session)
	b.open("/now")
	require.Equal(t, "en", eval[string](b, "document.documentElement.lang"))
	b.click("[data-menu] summary")
	b.follow("[name=language][value^=pt]")
	b.size(390, 844)
	pages, _ = h.crawl(session, pages...)
	for _, address := range pages {
		require.Equal(t, 200, b.open(address))
		require.Regexp(t, "^pt", eval[string](b, "document.documentElement.lang"), address)
		require.NotRegexp(t, leftEnglish, b.text("main"), address)
		b.requireNoSideways() // words are longer
	}
	b.size(1280, 900)
	b.click("[data-menu] summary")
	b.follow("[name=language][value^=en]")
	require.Equal(t, "en", eval[string](b, "document.documentElement.lang"))
}
