package page

import (
	"net/netip"
	"slices"
)

// Role is what somebody may do in the dashboard. Each may also do what those
// before it may.
type Role string

// The roles.
const (
	Viewer  Role = "viewer"  // looks
	Support Role = "support" // also works on what is there: replays, resolves, pauses
	Admin   Role = "admin"   // also changes what is set up, and who may come in
)

// Roles lists all, from the narrowest.
var Roles = []Role{Viewer, Support, Admin}

// Covers says whether a role may do what needs the other one.
func (r Role) Covers(need Role) bool {
	have := slices.Index(Roles, r)
	return have >= 0 && have >= slices.Index(Roles, need)
}

// Visitor is who looks at pages: one of the operator's people, or a customer
// whom a portal link lets in.
type Visitor struct {
	ID     string // of the user, as the API shows it; "" in the portal
	Name   string
	Role   Role
	Tenant string // whose things are all there is; "": everybody's
	Portal bool

	Address netip.Addr // where the visitor is; the zero value: not known
}

// SeesAll says whether the visitor sees every tenant's things.
func (v Visitor) SeesAll() bool { return v.Tenant == "" && !v.Portal }
