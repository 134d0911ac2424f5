package walk

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

// No page of the operator's is shown inside of another one.
func (f *furnished) isInNoFrame() {
	t := f.t
	for _, address := range append(slices.Clone(f.pages), "/login", "/nothing-here") {
		header := f.get(f.session, address).header
		require.Equal(t, "DENY", header.Get("X-Frame-Options"), address)
		require.Contains(t, header.Get("Content-Security-Policy"), "frame-ancestors 'none'", address)
		require.Equal(t, "no-store", header.Get("Cache-Control"), address)
	}
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>x</title><iframe src="%s/now" onload="window.loaded = true"></iframe>`, f.url)
	}))
	b := f.tab(f.session)
	b.allow(other, "frame", "Frame")
	b.open(other)
	b.await("window.loaded === true")
	eventually(t, func() bool {
		return slices.ContainsFunc(b.framesShown(), func(address string) bool { return strings.HasPrefix(address, "chrome-error:") })
	}, "the browser shows nothing")
}
