package walk

import (
	"regexp"

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
		require.Equal(f.t, 200, b.open(address))
		require.Regexp(f.t, "^pt", eval[string](b, "document.documentElement.lang"), address)
		require.NotRegexp(f.t, leftEnglish, b.text("main"), address)
		b.requireNoSideways() // words are longer
	}
	b.size(1280, 900)
	b.click("[data-menu] summary")
	b.follow("[name=language][value^=en]")
	require.Equal(f.t, "en", eval[string](b, "document.documentElement.lang"))
}
