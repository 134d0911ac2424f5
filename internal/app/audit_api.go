package app

import (
	"context"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/store/audit"
)

// auditAPI shows the audit log to the API in the API's own words.
type auditAPI struct{ log *audit.Log }

// RecordAct implements api.AuditLog.
func (a auditAPI) RecordAct(ctx context.Context, act api.Act) error {
	address := ""
	if act.Address.IsValid() {
		address = act.Address.String()
	}
	return a.log.Record(ctx, audit.Act{
		ActorKind: string(act.Actor.Kind), ActorID: act.Actor.ID, ActorName: act.Actor.Name,
		ByOperator: act.ByOperator, Operation: act.Operation, Address: address,
	}, mapAll(act.Subjects, func(s api.Subject) audit.Subject {
		return audit.Subject{Tenant: s.Tenant, Kind: string(s.Kind), ID: s.ID, Detail: s.Detail}
	}))
}

// AuditLog implements api.AuditLog.
func (a auditAPI) AuditLog(ctx context.Context, filter api.AuditFilter) (api.AuditPage, error) {
	page, err := a.log.List(ctx, audit.Filter{
		Tenant: filter.Tenant, ActorKind: string(filter.ActorKind), ActorID: filter.ActorID, Operation: filter.Operation,
		SubjectID: filter.SubjectID, Since: filter.Since, Until: filter.Until, Before: filter.Before, Limit: filter.Limit,
		OwnActors: filter.OwnActors,
	})
	return api.AuditPage{Entries: mapAll(page.Entries, auditEntryOf), Next: page.Next}, err
}

func auditEntryOf(e audit.Entry) api.AuditEntry {
	return api.AuditEntry{
		ID: e.ID, Actor: api.Actor{Kind: api.ActorKind(e.ActorKind), ID: e.ActorID, Name: e.ActorName},
		ByOperator: e.ByOperator, Operation: e.Operation, Address: e.Address, At: e.At,
		Subject: api.Subject{Tenant: e.Tenant, Kind: api.SubjectKind(e.Kind), ID: e.Subject.ID, Detail: e.Detail},
	}
}
