package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/gaprepair"
	"github.com/malotehq/malote/internal/ingest"
	"github.com/malotehq/malote/internal/source"
	"github.com/malotehq/malote/internal/store/inbound"
	"github.com/malotehq/malote/internal/store/registry"
)

// sourcesAPI shows the registry's sources to the API in the API's own words.
type sourcesAPI struct{ registry *registry.Registry }

func sourceOf(s registry.Source) api.Source {
	return api.Source{
		ID: s.ID, Tenant: s.Tenant, Name: s.Name, Provider: s.Provider, Description: s.Description, Settings: s.Settings,
		PausedAt: s.PausedAt, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, SecretNames: s.SecretNames,
	}
}

func sourceSecretOf(s registry.SourceSecret) api.SourceSecret {
	return api.SourceSecret{ID: s.ID, Name: s.Name, Role: source.Role(s.Role), CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt}
}

func newSourceSecret(s source.Secret) registry.SourceSecret {
	return registry.SourceSecret{Name: s.Name, Role: registry.SecretRole(s.Role), Value: s.Value}
}

// CreateSource implements api.Sources.
func (a sourcesAPI) CreateSource(ctx context.Context, wanted api.NewSource, once api.Once) (api.Source, bool, error) {
	made, created, err := a.registry.CreateSource(ctx, registry.NewSource{
		Tenant: wanted.Tenant, Name: wanted.Name, Provider: wanted.Provider, Description: wanted.Description, Settings: wanted.Settings,
		Secrets: mapAll(wanted.Secrets, newSourceSecret),
	}, registry.Once(once))
	return sourceOf(made), created, err
}

// Source implements api.Sources.
func (a sourcesAPI) Source(ctx context.Context, owner api.Owner, id delivery.ID) (api.Source, error) {
	found, err := a.registry.Source(ctx, ownerOf(owner), id)
	return sourceOf(found), err
}

// Sources implements api.Sources.
func (a sourcesAPI) Sources(ctx context.Context, owner api.Owner, page api.Page) ([]api.Source, bool, error) {
	list, more, err := a.registry.Sources(ctx, ownerOf(owner), registry.Page(page))
	return mapAll(list, sourceOf), more, err
}

// UpdateSource implements api.Sources.
func (a sourcesAPI) UpdateSource(ctx context.Context, owner api.Owner, id delivery.ID, change api.SourceChange) (api.Source, error) {
	if change.Settings == nil {
		renamed, err := a.registry.UpdateSource(ctx, ownerOf(owner), id, registry.SourceChange(change))
		return sourceOf(renamed), err
	}
	changed, err := a.registry.UpdateGuardedSource(ctx, ownerOf(owner), id, registry.SourceChange(change), keepsTokenAt)
	return sourceOf(changed), err
}

// DeleteSource implements api.Sources.
func (a sourcesAPI) DeleteSource(ctx context.Context, owner api.Owner, id delivery.ID) error {
	return a.registry.DeleteSource(ctx, ownerOf(owner), id)
}

// PauseSource implements api.Sources.
func (a sourcesAPI) PauseSource(ctx context.Context, owner api.Owner, id delivery.ID) (api.Source, error) {
	paused, err := a.registry.PauseSource(ctx, ownerOf(owner), id)
	return sourceOf(paused), err
}

// ResumeSource implements api.Sources.
func (a sourcesAPI) ResumeSource(ctx context.Context, owner api.Owner, id delivery.ID) (api.Source, error) {
	resumed, err := a.registry.ResumeSource(ctx, ownerOf(owner), id)
	return sourceOf(resumed), err
}

// AddSourceSecret implements api.Sources.
func (a sourcesAPI) AddSourceSecret(ctx context.Context, owner api.Owner, id delivery.ID, secret source.Secret, once api.Once) (api.SourceSecret, bool, error) {
	added, created, err := a.registry.AddSourceSecret(ctx, ownerOf(owner), id, newSourceSecret(secret), registry.Once(once))
	return sourceSecretOf(added), created, err
}

// RotateSourceSecret implements api.Sources.
func (a sourcesAPI) RotateSourceSecret(ctx context.Context, owner api.Owner, id delivery.ID, secret source.Secret, overlap time.Duration, once api.Once) (api.SourceSecret, bool, error) {
	added, created, err := a.registry.RotateSourceSecret(ctx, ownerOf(owner), id, newSourceSecret(secret), overlap, registry.Once(once))
	return sourceSecretOf(added), created, err
}

// SourceSecrets implements api.Sources.
func (a sourcesAPI) SourceSecrets(ctx context.Context, owner api.Owner, id delivery.ID) ([]api.SourceSecret, error) {
	list, err := a.registry.SourceSecrets(ctx, ownerOf(owner), id)
	return mapAll(list, sourceSecretOf), err
}

// RevokeSourceSecret implements api.Sources.
func (a sourcesAPI) RevokeSourceSecret(ctx context.Context, owner api.Owner, id, secret delivery.ID) error {
	return a.registry.RevokeSourceSecret(ctx, ownerOf(owner), id, secret)
}

// sourceRules shows to the API what the door and the repair of gaps take for
// settings.
type sourceRules struct{ maxBody int }

// CheckSettings implements api.SourceRules.
func (r sourceRules) CheckSettings(provider string, settings json.RawMessage) []api.Fault {
	door, repair, err := splitSettings(settings)
	known, isKnown := source.Lookup(provider)
	if err != nil || !isKnown {
		return []api.Fault{{Field: "provider", Detail: "is not known to this version"}}
	}
	_, err = ingest.ParseSettings(known, door, r.limit())
	if wrong, ok := errors.AsType[*ingest.SettingsError](err); ok {
		return mapAll(wrong.Faults, func(f ingest.Fault) api.Fault { return api.Fault{Field: f.Field, Detail: f.Problem} })
	}
	if len(repair) == 0 {
		return nil
	}
	return r.checkRepair(provider, settings)
}

// rejectionsAPI shows to the API what the door turned away.
type rejectionsAPI struct{ records *inbound.Records }

// Rejections implements api.Rejections.
func (a rejectionsAPI) Rejections(ctx context.Context, filter api.RejectionFilter) (api.RejectionPage, error) {
	list, next, err := a.records.Rejections(ctx, inbound.Filter{
		Tenant: filter.Tenant, SourceID: filter.SourceID, Since: filter.Since,
	}, filter.Before, filter.Limit)
	return api.RejectionPage{Rejections: mapAll(list, rejectionOf), Next: next}, err
}

func rejectionOf(r inbound.Rejection) api.Rejection {
	return api.Rejection{
		ID: r.ID, SourceID: r.SourceID, Tenant: r.Tenant, Reason: r.Reason, Explanation: ingest.Explain(source.Reason(r.Reason)),
		Detail: r.Detail, Count: r.Count, FirstAt: r.FirstAt, LastAt: r.LastAt,
	}
}

// arrivalsAPI shows to the API what came in by sources.
type arrivalsAPI struct{ records *inbound.Records }

// SourceHours implements api.Arrivals.
func (a arrivalsAPI) SourceHours(ctx context.Context, id delivery.ID, since, until time.Time) ([]api.SourceHour, error) {
	hours, err := a.records.ArrivalsOf(ctx, id, since, until)
	return mapAll(hours, func(h inbound.Arrivals) api.SourceHour { return api.SourceHour(h) }), err
}

// SourceSums implements api.Arrivals.
func (a arrivalsAPI) SourceSums(ctx context.Context, tenant string, since, until time.Time) ([]api.SourceHour, error) {
	sums, err := a.records.Arrivals(ctx, tenant, since, until)
	return mapAll(sums, func(h inbound.Arrivals) api.SourceHour { return api.SourceHour(h) }), err
}

// RepairsGaps implements api.SourceRules.
func (sourceRules) RepairsGaps(provider string) bool {
	return provider == gaprepair.GitHub || provider == gaprepair.Stripe
}

// checkRepair says what is wrong with the member "repair", where there is one and
// the door takes the rest. The token is another matter: it is a secret, and comes
// and goes by itself.
func (r sourceRules) checkRepair(provider string, settings json.RawMessage) []api.Fault {
	const anyToken = "not-looked-at"
	_, byProvider, err := repairable(provider, settings, anyToken, r.limit())
	wrong, isSetting := errors.AsType[*gaprepair.SettingError](err)
	switch {
	case isSetting && wrong.Field == "provider":
		return []api.Fault{{Field: repairMember, Detail: "is for github and stripe: no other's list can be read"}}
	case isSetting:
		return []api.Fault{{Field: repairMember + "." + wrong.Field, Detail: wrong.Reason}}
	case err != nil:
		return []api.Fault{{Field: repairMember, Detail: "holds something that is not known, or of another kind: there are base_url, hook, types and interval, of at least 1m"}}
	case !byProvider:
		return []api.Fault{{Field: repairMember, Detail: "needs dedupe to be provider: by another rule nobody can tell which events of the list came in"}}
	}
	return nil
}

func (r sourceRules) limit() int { return cmp.Or(r.maxBody, ingest.DefaultMaxBody) }

// gapRepairsAPI shows the repair of gaps to the API in the API's own words.
type gapRepairsAPI struct {
	runner   *gaprepair.Runner
	registry *registry.Registry
	records  *inbound.Records
	maxBody  int
}

// RepairGaps implements api.GapRepairs.
func (a gapRepairsAPI) RepairGaps(ctx context.Context, id delivery.ID, since, until time.Time, dryRun bool) (api.GapReport, error) {
	found, err := a.repairable(ctx, id)
	if err != nil {
		return api.GapReport{}, err
	}
	report, err := a.runner.Repair(ctx, found, since, until, dryRun)
	return api.GapReport(report), gapProblem(err)
}

// repairable finds a source with its token.
func (a gapRepairsAPI) repairable(ctx context.Context, id delivery.ID) (gaprepair.Source, error) {
	stored, err := a.registry.RepairSource(ctx, id)
	if errors.Is(err, registry.ErrNoSource) {
		err = &api.GapRefusal{Text: "The source is paused, or has no secret with the role repair: a key of the provider's API that reads its list."}
	}
	if err != nil {
		return gaprepair.Source{}, err
	}
	found, byProvider, err := repairable(stored.Provider, stored.Settings, stored.Token.Value, cmp.Or(a.maxBody, ingest.DefaultMaxBody))
	found.ID, found.Tenant, found.Since = stored.ID, stored.Tenant, stored.CreatedAt
	if err == nil && !byProvider {
		err = &api.GapRefusal{Text: "The source's dedupe is not provider, so that nobody can tell which events of the list came in."}
	}
	return found, gapProblem(err)
}

// GapProgress implements api.GapRepairs.
func (a gapRepairsAPI) GapProgress(ctx context.Context, id delivery.ID) (api.GapProgress, error) {
	at, err := a.records.Position(ctx, id)
	return api.GapProgress{CheckedAt: at.CheckedAt, Found: at.Found, FailedAt: at.FailedAt, LastError: at.LastError}, err
}

// gapProblem tells people what they can do something about.
func gapProblem(err error) error {
	if wrong, ok := errors.AsType[*gaprepair.SettingError](err); ok {
		return &api.GapRefusal{Text: "The source's settings are not complete: " + wrong.Error() + "."}
	}
	if early, ok := errors.AsType[*gaprepair.TooFarBackError](err); ok {
		return &api.GapRefusal{Field: "since", Text: "is too far back: " + early.Error()}
	}
	if failed, ok := errors.AsType[*gaprepair.APIError](err); ok {
		return &api.GapFailure{Text: failed.Error(), Wait: failed.Wait}
	}
	if busy, ok := errors.AsType[*gaprepair.BusyError](err); ok {
		return &api.GapRefusal{Text: "It cannot begin now, since " + busy.Error() + ": repeat the request when that is over."}
	}
	if errors.Is(err, gaprepair.ErrTooMuch) {
		return &api.GapRefusal{Field: "since", Text: "is too far back: " + err.Error() + "; what was compared until then is done"}
	}
	if errors.Is(err, gaprepair.ErrEmptySpan) {
		return &api.GapRefusal{Field: "until", Text: err.Error()}
	}
	return err
}
