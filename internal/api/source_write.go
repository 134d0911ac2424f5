package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// SettingsRefusal is the error of UpdateSource for settings that make sense by
// themselves, but not after the present ones. Its text completes a sentence that
// begins with the field's name.
type SettingsRefusal struct{ Field, Text string }

func (e *SettingsRefusal) Error() string { return e.Field + " " + e.Text }

type createSourceInput struct {
	OncePerKey
	Body newSourceJSON
}

type updateSourceInput struct {
	ID   string `path:"id" doc:"The source's id."`
	Body sourcePatchJSON
}

func (s *server) createSource(ctx context.Context, input *createSourceInput) (*sourceAnswer, error) {
	wanted, err := s.checkNewSource(ctx, input.Body)
	if err != nil {
		return nil, err
	}
	made, created, err := s.Sources.CreateSource(ctx, wanted, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, subjectOfSource(made.Tenant, made.ID, "provider: "+made.Provider))
	return &sourceAnswer{Status: createdStatus(created), Body: s.showSource(made)}, nil
}

func (s *server) checkNewSource(ctx context.Context, body newSourceJSON) (NewSource, error) {
	tenant, err := caller(ctx).tenantNamed(body.Tenant)
	if err != nil {
		return NewSource{}, err
	}
	provider, known := source.Lookup(body.Provider)
	if !known {
		return NewSource{}, problem(UnknownProvider, "")
	}
	settings := sourceSettings{}
	if err := settings.apply(body.Dedupe, body.EventTypeFrom, body.Headers, body.Options); err != nil {
		return NewSource{}, err
	}
	stored, err := settings.checked(s.SourceRules, provider.Name)
	if err != nil {
		return NewSource{}, err
	}
	secrets := make([]source.Secret, len(body.Secrets))
	for i, one := range body.Secrets {
		if secrets[i], err = s.sourceSecret(fmt.Sprintf("secrets[%d]", i), one.newSourceSecretJSON, provider); err != nil {
			return NewSource{}, err
		}
	}
	return NewSource{
		Tenant: tenant, Name: body.Name, Provider: provider.Name, Description: body.Description, Settings: stored, Secrets: secrets,
	}, nil
}

func (s *server) updateSource(ctx context.Context, input *updateSourceInput) (*sourceAnswer, error) {
	id, err := idAt(delivery.SourcePrefix, input.ID)
	if err != nil {
		return nil, err
	}
	owner := caller(ctx).owner()
	present, err := s.Sources.Source(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	body := input.Body
	change := SourceChange{Name: body.Name, Description: body.Description}
	if body.setsAnything() {
		change.Settings = func(stored json.RawMessage) (json.RawMessage, error) {
			settings := settingsOf(stored)
			if err := settings.apply(body.Dedupe, body.EventTypeFrom, body.Headers, body.Options); err != nil {
				return nil, err
			}
			return settings.checked(s.SourceRules, present.Provider)
		}
	}
	updated, err := s.Sources.UpdateSource(ctx, owner, id, change)
	if refused, ok := errors.AsType[*SettingsRefusal](err); ok {
		return nil, faultAs(InvalidSourceSettings, refused.Field, "%s", refused.Text)
	}
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfSource(updated.Tenant, id, membersGiven(ctx, true)))
	return &sourceAnswer{Status: http.StatusOK, Body: s.showSource(updated)}, nil
}

func (p sourcePatchJSON) setsAnything() bool {
	return len(p.Dedupe.raw)+len(p.EventTypeFrom.raw)+len(p.Headers.raw)+len(p.Options) > 0
}
