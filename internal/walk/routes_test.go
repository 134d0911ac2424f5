package walk

import (
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page's route as the dashboard's code has it, of a group or of the shell.
var routeInCode = regexp.MustCompile(`"GET (/[^"]*)"`)

// pageRoutes are the patterns of all that may be a page. They are read from the
// code, so that no page is forgotten here.
func pageRoutes(t *testing.T) []string {
	t.Helper()
	var routes []string
	require.NoError(t, filepath.WalkDir("../dashboard", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, found := range routeInCode.FindAllSubmatch(code, -1) {
			routes = append(routes, string(found[1]))
		}
		return err
	}))
	slices.Sort(routes)
	require.NotEmpty(t, routes)
	return slices.Compact(routes)
}

// routeOf is the pattern that serves an address; "": the API's, or nothing.
func routeOf(routes []string, address string) string {
	path, _, _ := strings.Cut(address, "?")
	parts, best := strings.Split(path, "/"), ""
	for _, route := range routes {
		if matches(strings.Split(route, "/"), parts) && (best == "" || strings.Count(route, "{") < strings.Count(best, "{")) {
			best = route
		}
	}
	return best
}

func matches(pattern, parts []string) bool {
	if n := len(pattern); n > 0 && strings.HasSuffix(pattern[n-1], "{$}") {
		pattern = append(slices.Clone(pattern[:n-1]), "")
	}
	return slices.EqualFunc(pattern, parts, func(want, have string) bool { return want == have || strings.HasPrefix(want, "{") })
}

// A link of a page, or the address of a form that asks.
var linkInPage = regexp.MustCompile(`<(?:a|option)\b[^>]*? (?:href|value)="(/[^"]*)"`)

// crawl finds pages by their links, from some addresses on: of each route one,
// besides those that are given.
func (h *house) crawl(session []*http.Cookie, from ...string) (pages []string) {
	h.t.Helper()
	routes := pageRoutes(h.t)
	seen, queued := make(map[string]bool), slices.Clone(from)
	for len(queued) > 0 {
		address := queued[0]
		queued = queued[1:]
		route := routeOf(routes, address)
		given := slices.Contains(from, address)
		key := keyOf(route, address)
		if seen[address] || route == "" || seen[key] && !given {
			continue
		}
		seen[address], seen[key] = true, true
		response := h.get(session, address)
		isFile := response.header.Get("Content-Disposition") != ""
		if isFile || !strings.HasPrefix(response.contentType, "text/html") || response.status == http.StatusSeeOther {
			continue // a file, a stream, or only the way to a page
		}
		require.Equal(h.t, http.StatusOK, response.status, address)
		pages = append(pages, address)
		for _, link := range linkInPage.FindAllStringSubmatch(response.body, -1) {
			queued = append(queued, html.UnescapeString(link[1]))
		}
	}
	return pages
}

// keyOf tells pages apart that look different: those of two routes, and the parts
// of a page that have an address of their own.
func keyOf(route, address string) string {
	_, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return route
	}
	for _, name := range []string{"tab", "show", "view", "part"} {
		if values.Has(name) {
			route += " " + name + "=" + values.Get(name)
		}
	}
	return route
}

// answer is what a page's address gave.
type answer struct {
	status            int
	contentType, body string
	header            http.Header
}

// get asks for a page as a browser without any comfort would: it follows nothing.
func (h *house) get(session []*http.Cookie, address string) answer {
	h.t.Helper()
	return h.ask(session, http.MethodGet, address, nil, nil)
}

// ask sends a request with a session's cookies, and headers besides.
func (h *house) ask(session []*http.Cookie, method, address string, form url.Values, header http.Header) answer {
	h.t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+address, body)
	require.NoError(h.t, err)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range header {
		request.Header[name] = values
	}
	for _, cookie := range session {
		request.AddCookie(cookie)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, response.Body.Close()) }()
	got := answer{status: response.StatusCode, contentType: response.Header.Get("Content-Type"), header: response.Header}
	if strings.HasPrefix(got.contentType, "text/event-stream") {
		return got // it does not end
	}
	text, err := io.ReadAll(response.Body)
	require.NoError(h.t, err)
	got.body = string(text)
	return got
}
