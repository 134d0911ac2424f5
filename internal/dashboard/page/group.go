package page

import (
	"net/http"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/lang"
)

// Group is some pages that belong together: a package makes one.
type Group struct {
	Name   string // in lower case, unique
	Nav    []NavItem
	Routes []Route
}

// Section is where in the navigation an item stands.
type Section int

// The sections, in their order.
const (
	Observe Section = iota // what happens
	Work                   // what somebody has to do
	SetUp                  // what is configured
)

// NavItem is a line of the navigation.
type NavItem struct {
	Section Section
	Label   lang.Text
	Path    string // also marks the pages below it as belonging to it
	Icon    string // a name that ui.Icon knows
	Need    Role
	Portal  bool // customers see it too
}

// Marks says whether a page at the path belongs to the item.
func (n NavItem) Marks(path string) bool {
	return path == n.Path || n.Path != "/" && strings.HasPrefix(path, n.Path+"/")
}

// Route is a page or an action.
type Route struct {
	// Pattern is net/http's, with its method: "GET /deliveries/{id}".
	// Whatever is not GET changes something, and needs the form's token.
	Pattern string
	Need    Role
	Portal  bool // customers may use it too: the API shows them only their own
	Serve   Handler

	// Stream is for answers that go on: they are not bounded in time.
	Stream bool
}

// Handler answers a request or says why it cannot; the shell draws the error. A
// *Problem of the API may be returned as it came.
type Handler func(*Request) error

// Method is the pattern's.
func (r Route) Method() string {
	method, _, found := strings.Cut(r.Pattern, " ")
	if !found {
		return http.MethodGet
	}
	return method
}

// Open says whether a visitor may use the route.
func (r Route) Open(v Visitor) bool {
	return v.Role.Covers(r.Need) && (r.Portal || !v.Portal)
}
