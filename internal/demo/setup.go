package demo

import (
	"context"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

// stage is everybody at work: tenants and endpoints that exist, with their
// receivers being served.
type stage struct {
	tenants   []string
	endpoints []*endpoint
	receivers *errgroup.Group // done when their context ends
}

// setUp creates tenants and endpoints. The receivers are served until receiving
// ends, and are in the stage even if setting up fails half-way. progress is told
// how many endpoints there are so far.
func setUp(ctx, receiving context.Context, c *client, run, policyName string, progress func(endpoints int)) (*stage, error) {
	s := &stage{receivers: &errgroup.Group{}}
	contracts, err := readContracts(ctx, c, policyName)
	if err != nil {
		return s, err
	}
	suffix, err := tenantSuffix(ctx, c, run)
	if err != nil {
		return s, err
	}
	for _, t := range cast {
		slug := t.slug + suffix
		if err := c.createTenant(ctx, slug, t.name); err != nil {
			return s, fmt.Errorf("creating tenant %s: %w", slug, err)
		}
		s.tenants = append(s.tenants, slug)
		for _, r := range t.roles {
			if policyName != "" {
				r.policy = policyName
			}
			e := &endpoint{role: r, tenant: slug, contract: contracts[r.policy]}
			if err := s.register(ctx, receiving, c, run, e); err != nil {
				return s, fmt.Errorf("creating endpoint %s: %w", e.title(), err)
			}
			progress(len(s.endpoints))
		}
	}
	return s, nil
}

// register creates an endpoint and serves its receiver.
func (s *stage) register(ctx, receiving context.Context, c *client, run string, e *endpoint) error {
	secret := webhook.GenerateSecret()
	url, serve, err := e.open(receiving, run, secret)
	if err != nil {
		return err
	}
	s.receivers.Go(serve)
	e.id, err = c.createEndpoint(ctx, newEndpoint{
		Tenant: e.tenant, URL: url, Policy: e.policy, EventTypes: e.types, Description: e.title(),
		Secret: secret.Reveal(), Metadata: map[string]string{"demo": run},
	})
	if err != nil {
		return err
	}
	s.endpoints = append(s.endpoints, e)
	return nil
}

// tenantSuffix tells this run's tenants from an earlier one's on the same
// database: their endpoints would get our events.
func tenantSuffix(ctx context.Context, c *client, run string) (string, error) {
	taken, err := c.tenantExists(ctx, cast[0].slug)
	if err != nil {
		return "", fmt.Errorf("looking for an earlier demo: %w", err)
	}
	if taken {
		return "-" + run, nil
	}
	return "", nil
}

// readContracts reads the published policies that the cast needs: deadline,
// scheme and envelope are the receivers' business, too.
func readContracts(ctx context.Context, c *client, only string) (map[string]*policy.Policy, error) {
	names := []string{only}
	if only == "" {
		names = []string{standard, fairQueue}
	}
	contracts := make(map[string]*policy.Policy)
	for _, name := range names {
		source, err := c.policySource(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("reading policy %s: %w", name, err)
		}
		contract, err := policy.Parse([]byte(source))
		if err != nil {
			return nil, fmt.Errorf("reading policy %s: %w", name, err)
		}
		if !verifiable(contract.Headers) {
			return nil, fmt.Errorf("the policy %s has header names of its own, and the demo's receivers only know %s: choose another",
				name, webhook.HeaderSignature)
		}
		contracts[name] = contract
	}
	return contracts, nil
}

func verifiable(h policy.Headers) bool {
	return http.CanonicalHeaderKey(h.ID) == webhook.HeaderID &&
		http.CanonicalHeaderKey(h.Timestamp) == webhook.HeaderTimestamp &&
		http.CanonicalHeaderKey(h.Signature) == webhook.HeaderSignature
}
