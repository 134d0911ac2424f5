package registry

import "github.com/malotehq/malote/internal/delivery"

// Owner is on whose behalf something is looked up. Its zero value owns nothing.
// What an owner does not own, does not exist for it.
type Owner struct {
	tenant string
	any    bool
}

// AnyTenant is the owner of everything: an administrator.
var AnyTenant = Owner{any: true}

// OfTenant owns what is one tenant's.
func OfTenant(slug string) Owner { return Owner{tenant: slug} }

func (o Owner) owns(tenant string) bool {
	return o.any || o.tenant != "" && o.tenant == tenant
}

// Page asks for the rows after one row, oldest first. The zero After is the
// beginning; Limit must be at least 1.
type Page struct {
	After delivery.ID
	Limit int
}

// after is the bound as a value that sorts before every id: as an ID, the zero
// one would be sent as NULL.
func (p Page) after() [16]byte { return p.After }

// cut takes the row off that was read only to know whether there are more.
func cut[T any](rows []T, limit int) (_ []T, more bool) {
	if len(rows) > limit {
		return rows[:limit], true
	}
	return rows, false
}
