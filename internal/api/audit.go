package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// AuditLog keeps who changed what.
type AuditLog interface {
	// RecordAct is called after the change was committed.
	RecordAct(ctx context.Context, act Act) error
	AuditLog(ctx context.Context, filter AuditFilter) (AuditPage, error)
}

// Act is one successful request that changed something.
type Act struct {
	Actor      Actor
	ByOperator bool // not by the tenant itself
	Operation  string
	Address    netip.Addr // where the request came from; the zero value: not known
	Subjects   []Subject
}

// Subject is one thing that a request changed.
type Subject struct {
	Tenant string // whose it is; "": nobody's
	Kind   SubjectKind
	ID     string // as the API shows it
	Detail string // short, for people; never a secret, never a body
}

// SubjectKind is what kind of thing was changed.
type SubjectKind string

// The kinds of subjects.
const (
	SubjectTenant       SubjectKind = "tenant"
	SubjectKey          SubjectKind = "api_key"
	SubjectEndpoint     SubjectKind = "webhook_endpoint"
	SubjectSecret       SubjectKind = "secret"
	SubjectDelivery     SubjectKind = "webhook_delivery"
	SubjectRecovery     SubjectKind = "recovery"
	SubjectSource       SubjectKind = "source"
	SubjectSourceSecret SubjectKind = "source_secret"
	SubjectPolicy       SubjectKind = "policy"
	SubjectUser         SubjectKind = "user"
	SubjectPortal       SubjectKind = "portal_link" // has no id: the tenant's stands for it
)

// changed notes what the request is about to be answered for, for the audit log.
// Handlers call it once for each thing that they changed.
func changed(ctx context.Context, subject Subject) {
	exchange := exchangeOf(ctx)
	exchange.subjects = append(exchange.subjects, subject)
}

// changedNothing keeps a request out of the audit log: a dry run, a preview, or
// a repeat, which finds what the first request made.
func changedNothing(ctx context.Context) { exchangeOf(ctx).changedNothing = true }

// changedIf is changed, unless the request was a repeat.
func changedIf(ctx context.Context, created bool, subject Subject) {
	if created {
		changed(ctx, subject)
	} else {
		changedNothing(ctx)
	}
}

// auditTime is how long the log's row may take. The client waits for it.
const auditTime = 5 * time.Second

// audit writes down what a request changed, after it has: in a transaction of
// its own. If that fails, the change holds and the operator's log has the act
// instead; who asked is told that it worked, as it did.
func (s *server) audit(ctx context.Context, at route) {
	exchange := exchangeOf(ctx)
	if at.method == http.MethodGet || exchange.changedNothing {
		return
	}
	act := Act{
		Actor: exchange.who.actor, ByOperator: exchange.who.isOperator(), Operation: at.id,
		Address: exchange.who.address, Subjects: exchange.subjects,
	}
	if !act.Address.IsValid() {
		act.Address = s.ClientAddress(exchange.request)
	}
	if act.Subjects == nil {
		act.Subjects = []Subject{{Tenant: exchange.who.tenant}} // better little than nothing
	}
	// The client may have gone; what it did, it did.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTime)
	defer cancel()
	if err := s.AuditLog.RecordAct(ctx, act); err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "the audit log lacks an act", slog.Any("act", act), slog.Any("error", err))
	}
}

// isOperator says whether it is not the tenant itself who acts.
func (p principal) isOperator() bool { return p.isAdmin() || p.actor.Kind == ActorUser }

// membersGiven names the members that the request's body has, null ones too where
// null changes something.
func membersGiven(ctx context.Context, nullChanges bool) string {
	body := exchangeOf(ctx).body
	if len(body) == 0 {
		return ""
	}
	var names []string
	for name, value := range members(body[skipSpace(body, 0):]) {
		if nullChanges || string(value) != "null" {
			names = append(names, strings.Trim(string(name), `"`))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// tenantOfEndpoint is whose endpoint it is; "" if there is none. A tenant's own
// key needs no look-up: it reaches its own only.
func (s *server) tenantOfEndpoint(ctx context.Context, id delivery.ID) string {
	who := caller(ctx)
	if !who.isAdmin() {
		return who.tenant
	}
	found, err := s.Endpoints.Endpoint(ctx, who.owner(), id)
	if err != nil {
		return ""
	}
	return found.Tenant
}

// tenantOfSource is like tenantOfEndpoint.
func (s *server) tenantOfSource(ctx context.Context, id delivery.ID) string {
	who := caller(ctx)
	if !who.isAdmin() {
		return who.tenant
	}
	found, err := s.Sources.Source(ctx, who.owner(), id)
	if err != nil {
		return ""
	}
	return found.Tenant
}
