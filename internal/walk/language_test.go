package walk

import (
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"
)

// leftEnglish are words that a page in Portuguese does not have, but in what
// customers wrote themselves and in names of headers.
var leftEnglish = regexp.MustCompile(`(?:^|[^-\pL])(Deliver(y|ies)|Attempts?|Search|Settings|Log (in|out)|Nothing|Next|Pending|Show|Save|Cancel|Close)\b`)

func (f *furnished) isInPortuguese() {
	b := f.tab(f.session)
	b.open("/now")
	require.Equal(f.t, "en", eval[string](b, "document.documentElement.lang"))
	b.click("[data-menu] summary")
	b.follow("[name=language][value^=pt]")
	b.size(390, 844)
	for _, address := range f.pages {
		if strings.Contains(address, "lang=en") {
			continue // a contract, for a receiver who reads English
		}
		require.Equal(f.t, 200, b.open(address))
		require.Regexp(f.t, "^pt", eval[string](b, "document.documentElement.lang"), address)
		require.NotRegexp(f.t, leftEnglish, b.ownWords(), address)
		b.requireNoSideways() // words are longer
	}
	b.size(1280, 900)
	b.click("[data-menu] summary")
	b.follow("[name=language][value^=en]")
	require.Equal(f.t, "en", eval[string](b, "document.documentElement.lang"))
}

// ownWords are those of the page but what it says is in English, and what was
// written by customers and programs.
func (b *tab) ownWords() string {
	b.t.Helper()
	return eval[string](b, `(() => {
		const main = document.querySelector("main").cloneNode(true);
		main.querySelectorAll("[lang=en], code, pre").forEach(e => e.remove());
		return main.textContent.replace(/\s+/g, " ");
	})()`)
}
