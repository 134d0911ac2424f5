package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

type createEndpointInput struct {
	OncePerKey
	Body newEndpointJSON
}

type updateEndpointInput struct {
	ID   string `path:"id" doc:"The endpoint's id."`
	Body endpointPatchJSON
}

type endpointAnswer struct {
	Status int
	Body   endpointJSON
}

func (s *server) createEndpoint(ctx context.Context, input *createEndpointInput) (*endpointAnswer, error) {
	endpoint, err := s.checkNewEndpoint(ctx, input.Body)
	if err != nil {
		return nil, err
	}
	contract, err := s.policyNamed(ctx, endpoint.Policy)
	if err != nil {
		return nil, err
	}
	if err := checkHeaders(input.Body.Headers, contract); err != nil {
		return nil, err
	}
	if err := checkSigned(endpoint.URL, contract); err != nil {
		return nil, err
	}
	made, created, err := s.Endpoints.CreateEndpoint(ctx, endpoint, defaultsOf(contract), input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, subjectOfEndpoint(made.Tenant, made.ID, ""))
	view := showEndpoint(made, caller(ctx), time.Now())
	if created && len(made.Secrets) > 0 {
		view.Secret = optional(made.Secrets[0].Value)
	}
	return &endpointAnswer{Status: createdStatus(created), Body: view}, nil
}

// checkNewEndpoint checks what does not depend on the policy.
func (s *server) checkNewEndpoint(ctx context.Context, body newEndpointJSON) (NewEndpoint, error) {
	tenant, err := caller(ctx).tenantNamed(body.Tenant)
	if err != nil {
		return NewEndpoint{}, err
	}
	target, err := s.checkURL(tenant, body.URL)
	if err != nil {
		return NewEndpoint{}, err
	}
	if err := checkTypes(body.EventTypes); err != nil {
		return NewEndpoint{}, err
	}
	if err := checkFilter(body.Filter); err != nil {
		return NewEndpoint{}, err
	}
	plain, secretHeaders, err := splitHeaders(body.Headers, newSecretNames(body.SecretHeaders), nil)
	if err != nil {
		return NewEndpoint{}, err
	}
	if err := checkMetadata(body.Metadata); err != nil {
		return NewEndpoint{}, err
	}
	secret, err := signingSecret("secret", body.Secret)
	if err != nil {
		return NewEndpoint{}, err
	}
	return NewEndpoint{
		Tenant: tenant, URL: target, Policy: policyFor(body.Policy, target), EventTypes: body.EventTypes,
		MaxInFlight: valueOf(body.MaxInFlight), RateLimit: valueOf(body.RateLimit), FIFO: body.FIFO, Filter: body.Filter,
		Headers: plain, SecretHeaders: valuesOf(secretHeaders), AtMostOnce: body.AtMostOnce,
		Description: body.Description, Metadata: body.Metadata, Secrets: []string{secret},
	}, nil
}

func defaultsOf(p *policy.Policy) Defaults {
	// Rounded up: a lease that is too short would take a slow answer for a dead worker.
	seconds := int((p.Lease + time.Second - 1) / time.Second)
	return Defaults{
		Policy: p.Name, MaxInFlight: p.MaxInFlight, LeaseSeconds: seconds, RateLimit: p.RateLimit, FIFO: p.FIFO,
	}
}

func (s *server) updateEndpoint(ctx context.Context, input *updateEndpointInput) (*endpointAnswer, error) {
	id, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	owner := caller(ctx).owner()
	present, err := s.Endpoints.Endpoint(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	patch := patchOf(input.Body)
	if err := patchHeaders(&patch, input.Body, present); err != nil {
		return nil, err
	}
	contract, err := s.checkPatch(ctx, &patch, input.Body.Headers, present)
	if err != nil {
		return nil, err
	}
	updated, err := s.Endpoints.UpdateEndpoint(ctx, owner, id, patch, defaultsOf(contract))
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfEndpoint(updated.Tenant, id, membersGiven(ctx, false)))
	return &endpointAnswer{Status: http.StatusOK, Body: showEndpoint(updated, caller(ctx), time.Now())}, nil
}

func patchOf(body endpointPatchJSON) EndpointPatch {
	return EndpointPatch{
		URL: body.URL, Policy: body.Policy, EventTypes: body.EventTypes, MaxInFlight: body.MaxInFlight,
		RateLimit: body.RateLimit, FIFO: body.FIFO, Filter: body.Filter,
		AtMostOnce: body.AtMostOnce, Description: body.Description, Metadata: body.Metadata,
	}
}

// checkPatch puts the patch into its normal form and gives the policy that the
// endpoint has afterwards.
func (s *server) checkPatch(ctx context.Context, patch *EndpointPatch, headers *map[string]string, present Endpoint) (*policy.Policy, error) {
	if patch.URL != nil {
		target, err := s.checkURL(present.Tenant, *patch.URL)
		if err != nil {
			return nil, err
		}
		patch.URL = &target
	}
	if err := checkTypes(valueOf(patch.EventTypes)); err != nil {
		return nil, err
	}
	if err := checkMetadata(valueOf(patch.Metadata)); err != nil {
		return nil, err
	}
	if rate := valueOf(patch.RateLimit); rate != 0 && rate < leastRate {
		return nil, fault("rate_limit", "must be 0, for the policy's default, or at least %v attempts a second", leastRate)
	}
	if err := checkFilter(valueOf(patch.Filter)); err != nil {
		return nil, err
	}
	name, carried := present.Policy, showHeaders(present, principal{scope: ScopeAdmin})
	if patch.Policy != nil {
		name = *patch.Policy
	}
	if headers != nil {
		carried = *headers
	}
	contract, err := s.policyNamed(ctx, name)
	if err != nil {
		return nil, err
	}
	target := present.URL
	if patch.URL != nil {
		target = *patch.URL
	}
	if err := checkSigned(target, contract); err != nil {
		return nil, err
	}
	if patch.Policy == nil && headers == nil {
		return contract, nil // nothing that could be in conflict changes
	}
	return contract, checkHeaders(carried, contract)
}
