package api

import (
	"context"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
)

type sourcePath struct {
	ID string `path:"id" doc:"The source's id."`
}

type listSourcesInput struct {
	Paging
	Tenant string `query:"tenant" maxLength:"64" doc:"Only this tenant's sources."`
}

type sourceAnswer struct {
	Status int
	Body   sourceJSON
}

func (s *server) registerSources(r *routes) {
	const root, one = "/v1/sources", "/v1/sources/{id}"
	handle(r, route{
		id: "create-source", method: http.MethodPost, path: root, tag: tagSources, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Create a source",
		description: "The answer holds the address that the provider is to be given. Secrets may come later; until then the provider gets 503 and comes again.",
		sample:      `{"tenant": "acme", "name": "GitHub", "provider": "github", "secrets": ["3f7a9c1e5d2b8406"]}`,
		codes:       []Code{UnknownTenant, TenantReserved, UnknownProvider, InvalidSourceSettings, InvalidSecret, SecretExists, SecretNameTaken, CreatedAndDeleted},
	}, s.createSource)
	handle(r, route{
		id: "list-sources", method: http.MethodGet, path: root, tag: tagSources, need: mayRead,
		summary: "List sources", description: "Oldest first.", sample: "tenant=acme",
	}, s.listSources)
	handle(r, route{
		id: "get-source", method: http.MethodGet, path: one, tag: tagSources, need: mayRead,
		summary: "Get a source", description: "With how far its gaps have been repaired.",
	}, s.getSource)
	handle(r, route{
		id: "update-source", method: http.MethodPatch, path: one, tag: tagSources, need: mayManage,
		summary:     "Change a source",
		description: "What is left out stays as it is, and so do members of options that are not named. It takes a second until it holds.",
		sample:      `{"options": {"rate_limit": {"per_second": 50}}}`, codes: []Code{InvalidSourceSettings},
	}, s.updateSource)
	handle(r, route{
		id: "delete-source", method: http.MethodDelete, path: one, tag: tagSources, need: mayManage,
		summary: "Delete a source", description: "Its address answers 404 from now on, and its secrets are gone. The events that it brought stay.",
	}, s.deleteSource)
	for _, action := range []struct {
		name, summary, description string
		change                     func(context.Context, Owner, delivery.ID) (Source, error)
	}{
		{"pause", "Pause a source", "Every request gets 503, so that the provider comes again later.", s.Sources.PauseSource},
		{"resume", "Resume a paused source", "Requests are taken again.", s.Sources.ResumeSource},
	} {
		handle(r, route{
			id: action.name + "-source", method: http.MethodPost, path: one + "/" + action.name, tag: tagSources, need: mayManage,
			summary: action.summary, description: action.description,
		}, s.changingSource(action.change))
	}
}

func (s *server) listSources(ctx context.Context, input *listSourcesInput) (*listAnswer[sourceJSON], error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	list := listOf("sources", input.Tenant)
	after, err := list.afterID(input.Cursor)
	if err != nil {
		return nil, err
	}
	sources, more, err := s.Sources.Sources(ctx, owner, Page{After: after, Limit: input.Limit})
	if err != nil {
		return nil, err
	}
	answer := &listAnswer[sourceJSON]{Body: listJSON[sourceJSON]{Data: shown(sources, s.showSource)}}
	if more {
		answer.Body.NextCursor = list.idCursor(sources[len(sources)-1].ID)
	}
	return answer, nil
}

func (s *server) getSource(ctx context.Context, input *sourcePath) (*sourceAnswer, error) {
	id, found, err := s.sourceAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	view := s.showSource(found)
	if s.SourceRules.RepairsGaps(found.Provider) {
		progress, err := s.GapRepairs.GapProgress(ctx, id)
		if err != nil {
			return nil, err
		}
		view.GapRepair = showGapProgress(progress)
	}
	return &sourceAnswer{Status: http.StatusOK, Body: view}, nil
}

func (s *server) deleteSource(ctx context.Context, input *sourcePath) (*struct{}, error) {
	id, err := idAt(delivery.SourcePrefix, input.ID)
	if err != nil {
		return nil, err
	}
	subject := subjectOfSource(s.tenantOfSource(ctx, id), id, "")
	if err := s.Sources.DeleteSource(ctx, caller(ctx).owner(), id); err != nil {
		return nil, err
	}
	changed(ctx, subject)
	return nil, nil
}

func subjectOfSource(tenant string, id delivery.ID, detail string) Subject {
	return Subject{Tenant: tenant, Kind: SubjectSource, ID: id.Format(delivery.SourcePrefix), Detail: detail}
}

// changingSource makes the handler of an operation that pauses or resumes.
func (s *server) changingSource(
	change func(context.Context, Owner, delivery.ID) (Source, error),
) func(context.Context, *sourcePath) (*sourceAnswer, error) {
	return func(ctx context.Context, input *sourcePath) (*sourceAnswer, error) {
		id, err := idAt(delivery.SourcePrefix, input.ID)
		if err != nil {
			return nil, err
		}
		found, err := change(ctx, caller(ctx).owner(), id)
		if err != nil {
			return nil, err
		}
		changed(ctx, subjectOfSource(found.Tenant, id, ""))
		return &sourceAnswer{Status: http.StatusOK, Body: s.showSource(found)}, nil
	}
}

// sourceAt finds the source that a path names, if it is the caller's.
func (s *server) sourceAt(ctx context.Context, shown string) (delivery.ID, Source, error) {
	id, err := idAt(delivery.SourcePrefix, shown)
	if err != nil {
		return delivery.ID{}, Source{}, err
	}
	found, err := s.Sources.Source(ctx, caller(ctx).owner(), id)
	return id, found, err
}
