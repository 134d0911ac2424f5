package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"

	"github.com/malotehq/malote/internal/delivery"
)

// ActorKind is what kind of somebody sends a request.
type ActorKind string

// The kinds of actors.
const (
	ActorKey      ActorKind = "api_key"   // an API key that the store knows
	ActorAdminKey ActorKind = "admin_key" // the fixed admin key, which no store knows
	ActorUser     ActorKind = "user"      // one of the operator's people
	ActorPortal   ActorKind = "portal"    // who followed a portal link
	ActorDatabase ActorKind = "database"  // who has the database at hand, and uses the command line
)

// Actor says who sends a request: the audit log keeps it. It permits nothing.
type Actor struct {
	Kind ActorKind
	ID   string // as the API shows ids of its kind; "" for ActorAdminKey
	Name string // for people, as it was then
}

// Caller is who asks in process. It is trusted: whoever makes one has found out
// who it is, by a session or a signed link.
type Caller struct {
	Scope   Scope
	Tenant  string // "" for ScopeAdmin, and only for it
	Actor   Actor
	Address netip.Addr // where the person is; the zero value: not known
}

type callerKey struct{}

// WithCaller makes a request that is handed to the handler of New in process the
// caller's: it needs no key, and one that it has does not count. No HTTP client
// can put anything into a context.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// errCaller is a mistake of the program, not of the person.
var errCaller = errors.New("the caller in the request's context has no known scope, or a tenant that does not go with it")

// principalIn is who asks in process; found is false for requests over HTTP.
func principalIn(ctx context.Context) (who principal, found bool, _ error) {
	caller, found := ctx.Value(callerKey{}).(Caller)
	if !found {
		return principal{}, false, nil
	}
	switch caller.Scope {
	case ScopeAdmin:
		found = caller.Tenant == ""
	case ScopeTenant, ScopePublish, ScopeRead:
		found = delivery.ValidTenant(caller.Tenant)
	default:
		found = false
	}
	if !found {
		return principal{}, true, errCaller
	}
	return principal{scope: caller.Scope, tenant: caller.Tenant, actor: caller.Actor, address: caller.Address}, true, nil
}

// principalOf says who sends a request, in process or over HTTP.
func (s *server) principalOf(ctx context.Context, r *http.Request) (principal, error) {
	if who, inside, err := principalIn(r.Context()); inside {
		return who, err
	}
	return s.gate.admit(ctx, r.Header.Get("Authorization"))
}
