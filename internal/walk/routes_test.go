package walk

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard"
)

// routesOf are the paths of all routes with a method.
func routesOf(method string) (paths []string) {
	for _, pattern := range dashboard.Patterns() {
		if path, is := strings.CutPrefix(pattern, method+" "); is {
			paths = append(paths, path)
		}
	}
	return paths
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

// An address in a page: of a link, of a form, of a stream.
var addressInPage = regexp.MustCompile(` (?:href|value|action|data-stream)="(/[^"]*)"`)

// crawl finds pages by their links, from some addresses on: of each route one,
// besides those that are given. reached are the routes of all that was asked for.
func (h *house) crawl(session []*http.Cookie, from ...string) (pages []string, reached map[string]bool) {
	h.t.Helper()
	routes := routesOf(http.MethodGet)
	reached = make(map[string]bool)
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
		seen[address], seen[key], reached[route] = true, true, true
		response := h.get(session, address)
		if to := response.header.Get("Location"); to != "" {
			queued = append(queued, to)
			continue
		}
		require.Equal(h.t, http.StatusOK, response.status, address)
		isFile := response.header.Get("Content-Disposition") != ""
		if isFile || !strings.HasPrefix(response.contentType, "text/html") {
			continue
		}
		pages = append(pages, address)
		for _, link := range addressInPage.FindAllStringSubmatch(response.body, -1) {
			queued = append(queued, html.UnescapeString(link[1]))
		}
	}
	return pages, reached
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
