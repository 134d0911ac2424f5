package dashboard

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/delivery"
)

var (
	variable = regexp.MustCompile(`\{[^}]*\}`)
	someID   = delivery.ID{6: 0x70, 15: 9}
)

// allRoutes are those of all groups, with addresses that match their patterns.
func allRoutes() map[string]page.Route {
	all := map[string]page.Route{}
	for _, group := range append(groups(), (&dashboard{}).own()) {
		for _, route := range group.Routes {
			path := strings.TrimPrefix(route.Pattern, route.Method()+" ")
			all[variable.ReplaceAllString(strings.ReplaceAll(path, "{$}", ""), "x")+" "+route.Method()] = route
		}
	}
	return all
}

// visitors are one of each kind.
func visitors() map[string]Session {
	all := map[string]Session{}
	for _, role := range page.Roles {
		all[string(role)] = Session{UserID: someID, Name: "Ana", Role: role}
		all["portal "+string(role)] = Session{Tenant: "acme", Role: role}
		all["frame "+string(role)] = Session{Tenant: "acme", Role: role, Framed: true}
	}
	return all
}

func TestRoutes_AreOpenToWhomTheTableSays(t *testing.T) {
	t.Parallel()
	r, routes := newRig(t, framedBy(framer)), allRoutes()
	require.Greater(t, len(routes), 10)
	for address, route := range routes {
		path, method, _ := strings.Cut(address, " ")
		require.Contains(t, page.Roles, route.Need, route.Pattern)
		for who, session := range visitors() {
			b := r.as(session)
			response := b.do(b.request(method, path, map[string][]string{"_token": {formToken(b.token())}}, inFrameIf(session.Framed)))
			asked := r.api.asked()
			covers := session.Role.Covers(route.Need)
			switch isPortal := session.Tenant != ""; {
			case isPortal && !(covers && route.Portal):
				require.Equal(t, http.StatusNotFound, response.StatusCode, "%s as %s", address, who)
				require.Empty(t, asked)
			case !covers:
				require.Equal(t, http.StatusForbidden, response.StatusCode, "%s as %s", address, who)
				require.Empty(t, asked)
			default:
				require.NotEqual(t, http.StatusForbidden, response.StatusCode, "%s as %s", address, who)
				require.NotContains(t, response.Header.Get("Location"), "/login", "%s as %s", address, who)
			}
			for _, call := range asked {
				reads := method == http.MethodGet || route.Need == page.Viewer
				require.True(t, !reads || strings.HasPrefix(call, "GET "), "%s changes something: %s", address, call)
			}
		}
	}
}

func TestRoutes_AskStrangersToLogIn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for address := range allRoutes() {
		path, method, _ := strings.Cut(address, " ")
		response := r.browser().do(r.browser().request(method, path, nil))
		require.Equal(t, http.StatusSeeOther, response.StatusCode, address)
		require.True(t, strings.HasPrefix(response.Header.Get("Location"), "/login"), address)
		require.Empty(t, r.api.asked())
	}
}

// What a page is told to show is below what the navigation shows.
func TestNavigation_ShowsOnlyWhatIsOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	routes := allRoutes()
	for who, session := range visitors() {
		if session.Framed {
			continue // as without a frame
		}
		b := r.as(session)
		markup := text(t, b.get("/nowhere"))
		links := 0
		for _, nav := range elements(t, markup, "nav") {
			for node := range nav.Descendants() {
				if node.Data != "a" {
					continue
				}
				for _, attribute := range node.Attr {
					if attribute.Key == "href" {
						route, known := routes[attribute.Val+" GET"]
						require.True(t, known, attribute.Val)
						require.True(t, route.Open(page.Visitor{Role: session.Role, Tenant: session.Tenant, Portal: session.Tenant != ""}), "%s: %s", who, attribute.Val)
						links++
					}
				}
			}
		}
		require.NotZero(t, links, who)
	}
}
