package settings

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// entry is one of /v1/audit_log.
type entry struct {
	ID          string    `json:"id"`
	At          time.Time `json:"at"`
	ActorKind   string    `json:"actor_kind"`
	ActorID     string    `json:"actor_id"`
	ActorName   string    `json:"actor_name"`
	Operation   string    `json:"operation"`
	Tenant      string    `json:"tenant"`
	SubjectKind string    `json:"subject_kind"`
	SubjectID   string    `json:"subject_id"`
	Detail      string    `json:"detail"`
	Address     string    `json:"address"`
}

// who is the actor in words; "": nothing but the kind is known.
func (e entry) who() string { return cmp.Or(e.ActorName, e.ActorID) }

// thing is the page of what was changed, "" if it has none.
func (e entry) thing() string {
	switch e.SubjectKind {
	case "tenant":
		return tenantsPath + page.Path(e.SubjectID)
	case "user":
		return usersPath + page.Path(e.SubjectID)
	case "api_key":
		return page.Link(keysPath, "tenant", e.Tenant)
	case "webhook_endpoint":
		return page.Path("endpoints", e.SubjectID)
	case "webhook_delivery":
		return page.Path("deliveries", e.SubjectID)
	case "source":
		return page.Path("sources", e.SubjectID)
	case "policy":
		return page.Path("policies", e.SubjectID)
	default:
		return ""
	}
}

// auditFilters are the list's, as its address has them: named as the API does.
type auditFilters struct {
	Tenant, Actor, ActorKind, Operation, Subject, Since, Until string
}

func auditFiltersOf(r *page.Request) auditFilters {
	return auditFilters{
		Tenant: r.Query("tenant"), Actor: r.Query("actor"), ActorKind: r.Query("actor_kind"), Operation: r.Query("operation"),
		Subject: r.Query("subject"), Since: page.Instant(r.Query("since")), Until: page.Instant(r.Query("until")),
	}
}

func (f auditFilters) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"tenant": f.Tenant, "actor": f.Actor, "actor_kind": f.ActorKind, "operation": f.Operation, "subject": f.Subject,
		"since": f.Since, "until": f.Until,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

type auditView struct {
	Filters auditFilters
	Rows    []entry
	Paging  page.Paging
	Refusal *page.Problem
}

func showAudit(r *page.Request) error {
	view := auditView{Filters: auditFiltersOf(r)}
	query := view.Filters.query()
	maps.Copy(query, cursorOf(r))
	found, err := page.Get[page.List[entry]](r, page.API("audit_log"), query)
	if view.Refusal, err = refusalIn(err); err != nil {
		return err
	}
	view.Rows, view.Paging = found.Data, r.Pages(found.NextCursor)
	return r.Show(page.Content{Title: auditTitle.In(r.Context()), Status: statusOf(view.Refusal), Body: auditPage(view)})
}

// operationOptions are all operations that leave rows, by what they are called.
func operationOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{}
	for operation := range OperationWords {
		options = append(options, ui.Option{Value: operation, Label: OperationWords.In(ctx, operation)})
	}
	slices.SortFunc(options, func(a, b ui.Option) int { return cmp.Compare(a.Label, b.Label) })
	return slices.Insert(options, 0, ui.Option{Label: anyText.In(ctx)})
}

func actorOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Label: anyText.In(ctx)}}
	for _, kind := range []string{"user", "api_key", "admin_key", "portal", "database"} {
		options = append(options, ui.Option{Value: kind, Label: actorWords.In(ctx, kind)})
	}
	return options
}
