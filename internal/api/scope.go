package api

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Scope is what an API key may do.
type Scope string

// The scopes. All but ScopeAdmin belong to a tenant.
const (
	ScopeAdmin   Scope = "admin"
	ScopeTenant  Scope = "tenant"
	ScopePublish Scope = "publish"
	ScopeRead    Scope = "read"
)

// Key is an API key as the store knows it.
type Key struct {
	ID        delivery.ID
	Tenant    string // "" for ScopeAdmin
	Scope     Scope
	Name      string
	CreatedAt time.Time
	RevokedAt time.Time // zero: it works
}

// Owner is on whose behalf something is looked up. The zero value owns nothing,
// so that a forgotten owner shows nothing instead of everything.
type Owner struct {
	tenant string
	any    bool
}

// OfTenant owns what is one tenant's; AnyTenant owns everything.
func OfTenant(slug string) Owner { return Owner{tenant: slug} }

// AnyTenant is an administrator.
var AnyTenant = Owner{any: true}

// Tenant gives the one tenant whose things are meant, or any.
func (o Owner) Tenant() (slug string, any bool) { return o.tenant, o.any }

// Owns says whether a tenant's things are the owner's.
func (o Owner) Owns(tenant string) bool { return o.any || o.tenant != "" && o.tenant == tenant }

// permission lists the scopes that may call an operation. A nil permission is
// for everybody, without a key.
type permission []Scope

// String lists the scopes in a sentence.
func (p permission) String() string {
	words := make([]string, len(p))
	for i, scope := range p {
		words[i] = string(scope)
	}
	return strings.Join(words, " or ")
}

// The permissions, from the widest to the narrowest.
var (
	anybody    permission
	mayRead    = permission{ScopeAdmin, ScopeTenant, ScopeRead}
	mayPublish = permission{ScopeAdmin, ScopeTenant, ScopePublish}
	mayManage  = permission{ScopeAdmin, ScopeTenant}
	mayAdmin   = permission{ScopeAdmin}
)

// principal is who sends a request.
type principal struct {
	scope   Scope
	tenant  string // "" for ScopeAdmin
	actor   Actor
	address netip.Addr // what a caller in process says; the zero value: nothing
}

func (p principal) may(need permission) bool { return slices.Contains(need, p.scope) }

func (p principal) isAdmin() bool { return p.scope == ScopeAdmin }

func (p principal) owner() Owner {
	if p.isAdmin() {
		return AnyTenant
	}
	return OfTenant(p.tenant)
}

// tenantNamed is the tenant that a request means: the one it names, or the
// key's own if it names none. Another's does not exist for the caller.
func (p principal) tenantNamed(name string) (string, error) {
	switch {
	case p.isAdmin() && name == "":
		return "", fault("tenant", "is missing: an admin key must say which tenant it means")
	case p.isAdmin() && delivery.ValidTenant(name):
		return name, nil
	case !p.isAdmin() && (name == "" || name == p.tenant):
		return p.tenant, nil
	default:
		return "", problem(UnknownTenant, "")
	}
}

// ownerNamed is like tenantNamed, but an administrator who names no tenant
// means all.
func (p principal) ownerNamed(name string) (Owner, error) {
	if p.isAdmin() && name == "" {
		return AnyTenant, nil
	}
	tenant, err := p.tenantNamed(name)
	return OfTenant(tenant), err
}
