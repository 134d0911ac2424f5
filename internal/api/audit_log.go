package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// AuditEntry is one row of the audit log.
type AuditEntry struct {
	ID         delivery.ID
	Actor      Actor
	ByOperator bool
	Operation  string
	Address    string // "": not known
	Subject
	At time.Time
}

// AuditFilter says which rows to list, newest first.
type AuditFilter struct {
	Tenant    string // "": every tenant's and nobody's
	ActorKind ActorKind
	ActorID   string
	Operation string
	SubjectID string
	Since     time.Time   // then or later; zero: no bound
	Until     time.Time   // before; zero: no bound
	Before    delivery.ID // the page before ended here; zero: the first page
	Limit     int

	// OwnActors makes ActorID find no act of the operator's.
	OwnActors bool
}

// AuditPage is one page of the audit log.
type AuditPage struct {
	Entries []AuditEntry
	Next    delivery.ID // Before of the following page; zero: there is none
}

type auditEntryJSON struct {
	ID          string    `json:"id" example:"aud_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	At          timestamp `json:"at" nullable:"false"`
	ActorKind   string    `json:"actor_kind" enum:"api_key,admin_key,user,portal,database" example:"api_key" doc:"Who did it: an API key, the key that the server was started with, one of the operator's people, who followed a portal link, or who had the database at hand."`
	ActorID     *string   `json:"actor_id" example:"key_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"null: it has none, or it is the operator's and you are not."`
	ActorName   *string   `json:"actor_name" example:"Billing" doc:"As it was then; null as actor_id is."`
	Operation   string    `json:"operation" example:"update-webhook-endpoint" doc:"The operation's id in this document."`
	Tenant      *string   `json:"tenant" example:"acme" doc:"Whose thing it was; null: nobody's, such as a policy."`
	SubjectKind *string   `json:"subject_kind" example:"webhook_endpoint" doc:"What was changed: tenant, api_key, webhook_endpoint, secret, webhook_delivery, recovery, source, source_secret, policy, user or portal_link."`
	SubjectID   *string   `json:"subject_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Detail      *string   `json:"detail" example:"event_types, url" doc:"In short: which members a change named, what was counted. Never a secret or a body."`
	Address     *string   `json:"address" example:"203.0.113.9" doc:"Where the request came from, as far as it is known; null also for what the operator did, if you are not."`
}

func showAuditEntry(e AuditEntry, who principal) auditEntryJSON {
	view := auditEntryJSON{
		ID: e.ID.Format(delivery.AuditPrefix), At: timestamp{e.At}, ActorKind: string(e.Actor.Kind), Operation: e.Operation,
		Tenant: optional(e.Tenant), SubjectKind: optional(string(e.Kind)), SubjectID: optional(e.Subject.ID), Detail: optional(e.Detail),
	}
	if who.isAdmin() || !e.ByOperator {
		view.ActorID, view.ActorName, view.Address = optional(e.Actor.ID), optional(e.Actor.Name), optional(e.Address)
	}
	return view
}

type listAuditInput struct {
	Paging
	Tenant    string    `query:"tenant" maxLength:"64" doc:"Only what concerns this tenant."`
	Actor     string    `query:"actor" maxLength:"200" doc:"Only what this actor_id did."`
	ActorKind string    `query:"actor_kind" enum:"api_key,admin_key,user,portal,database" doc:"Only what this kind of actor did."`
	Operation string    `query:"operation" maxLength:"100" doc:"Only this operation."`
	Subject   string    `query:"subject" maxLength:"200" doc:"Only what was done to the thing with this id."`
	Since     timestamp `query:"since" nullable:"false" doc:"Then or later."`
	Until     timestamp `query:"until" nullable:"false" doc:"Before."`
}

func (s *server) registerAuditLog(r *routes) {
	handle(r, route{
		id: "list-audit-log", method: http.MethodGet, path: "/v1/audit_log", tag: tagAudit, need: mayManage,
		summary: "List who changed what",
		description: "Newest first. Every request that changed something leaves a row for each thing that it changed; " +
			"publishing does not: events are their own record. Rows are kept for 400 days.",
		sample: "tenant=acme&operation=update-webhook-endpoint",
	}, s.listAuditLog)
}

func (s *server) listAuditLog(ctx context.Context, input *listAuditInput) (*listAnswer[auditEntryJSON], error) {
	who := caller(ctx)
	owner, err := who.ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	if err := checkSpan(input.Since, input.Until); err != nil {
		return nil, err
	}
	filter := AuditFilter{
		ActorKind: ActorKind(input.ActorKind), ActorID: input.Actor, Operation: input.Operation, SubjectID: input.Subject,
		Since: input.Since.Time, Until: input.Until.Time, Limit: input.Limit, OwnActors: !who.isAdmin(),
	}
	filter.Tenant, _ = owner.Tenant()
	list := listOf("audit log", filter.Tenant, input.ActorKind, input.Actor, input.Operation, input.Subject,
		instantFilter(input.Since), instantFilter(input.Until))
	if filter.Before, err = list.afterID(input.Cursor); err != nil {
		return nil, err
	}
	page, err := s.AuditLog.AuditLog(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &listAnswer[auditEntryJSON]{Body: listJSON[auditEntryJSON]{
		Data:       shown(page.Entries, func(e AuditEntry) auditEntryJSON { return showAuditEntry(e, who) }),
		NextCursor: list.idCursor(page.Next),
	}}, nil
}
