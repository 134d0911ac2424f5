package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/webhook"
)

// The overlap of a rotation, in which the old secrets go on signing.
const (
	defaultOverlap = 24 * time.Hour
	maxOverlap     = 30 * 24 * time.Hour
)

type secretJSON struct {
	ID        string    `json:"id" example:"sec_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	CreatedAt timestamp `json:"created_at" nullable:"false"`
	ExpiresAt timestamp `json:"expires_at" doc:"When it stops signing; null: when it is revoked."`
	Value     *string   `json:"value,omitempty" example:"whsec_…" doc:"The secret itself: only in the answer to its creation, and nobody can see it again."`
}

// showSecret shows the value only if asked to: in the answer to the creation.
func showSecret(secret delivery.Secret, value bool) secretJSON {
	view := secretJSON{
		ID:        secret.ID.Format(delivery.SecretPrefix),
		CreatedAt: timestamp{secret.CreatedAt}, ExpiresAt: timestamp{secret.ExpiresAt},
	}
	if value {
		view.Value = optional(secret.Value)
	}
	return view
}

type newSecretJSON struct {
	Value string `json:"value,omitempty" maxLength:"500" doc:"A secret of your own: whsec_ and base64 of 24 to 64 random bytes, or an ed25519 key whsk_. Left out, one is generated."`
}

type rotationJSON struct {
	Value   string `json:"value,omitempty" maxLength:"500" doc:"The new secret, if it is one of your own. Left out, one is generated."`
	Overlap *span  `json:"overlap,omitempty" doc:"How long the old ones go on signing beside it, from 0s to 720h. Left out: 24h."`
}

type addSecretInput struct {
	OncePerKey
	ID   string         `path:"id" doc:"The endpoint's id."`
	Body *newSecretJSON `required:"false"`
}

type rotateSecretInput struct {
	OncePerKey
	ID   string        `path:"id" doc:"The endpoint's id."`
	Body *rotationJSON `required:"false"`
}

type secretPath struct {
	ID     string `path:"id" doc:"The endpoint's id."`
	Secret string `path:"secret" doc:"The secret's id, not the secret itself."`
}

type secretAnswer struct {
	Status int
	Body   secretJSON
}

func (s *server) registerSecrets(r *routes) {
	const root = "/v1/webhook_endpoints/{id}/secrets"
	handle(r, route{
		id: "add-secret", method: http.MethodPost, path: root, tag: tagSecrets, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Add a secret",
		description: "It signs beside those that are there, at once. Without a body, one is generated; the answer holds it, this once.",
		codes:       []Code{InvalidSecret, SecretExists, TooManySecrets, CreatedAndDeleted},
	}, s.addSecret)
	handle(r, route{
		id: "rotate-secret", method: http.MethodPost, path: root + "/rotate", tag: tagSecrets, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Rotate the secret",
		description: "Adds a new secret and lets all older ones expire after the overlap, in which all of them sign. The answer holds it, this once.",
		sample:      `{"overlap": "48h"}`, codes: []Code{InvalidSecret, SecretExists, TooManySecrets, CreatedAndDeleted},
	}, s.rotateSecret)
	handle(r, route{
		id: "list-secrets", method: http.MethodGet, path: root, tag: tagSecrets, need: mayManage,
		summary: "List secrets", description: "Those that sign, newest first, without their values.",
	}, s.listSecrets)
	handle(r, route{
		id: "revoke-secret", method: http.MethodDelete, path: root + "/{secret}", tag: tagSecrets, need: mayManage,
		summary: "Revoke a secret", description: "It stops signing at once. Without any secret nothing is sent: every attempt fails with `no_secret`.",
	}, s.revokeSecret)
}

func (s *server) addSecret(ctx context.Context, input *addSecretInput) (*secretAnswer, error) {
	id, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	value, err := signingSecret("value", valueOf(input.Body).Value)
	if err != nil {
		return nil, err
	}
	secret, created, err := s.Endpoints.AddSecret(ctx, caller(ctx).owner(), id, value, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, s.subjectOfSecret(ctx, id, secret.ID))
	return &secretAnswer{Status: createdStatus(created), Body: showSecret(secret, created)}, nil
}

// subjectOfSecret says in the detail whose it is.
func (s *server) subjectOfSecret(ctx context.Context, endpoint, secret delivery.ID) Subject {
	return Subject{
		Tenant: s.tenantOfEndpoint(ctx, endpoint), Kind: SubjectSecret, ID: secret.Format(delivery.SecretPrefix),
		Detail: endpoint.Format(delivery.EndpointPrefix),
	}
}

func (s *server) rotateSecret(ctx context.Context, input *rotateSecretInput) (*secretAnswer, error) {
	id, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	asked := valueOf(input.Body)
	overlap := defaultOverlap
	if asked.Overlap != nil {
		overlap = time.Duration(*asked.Overlap)
	}
	if overlap < 0 || overlap > maxOverlap {
		return nil, fault("overlap", "must lie between 0s and %s", span(maxOverlap))
	}
	value, err := signingSecret("value", asked.Value)
	if err != nil {
		return nil, err
	}
	secret, created, err := s.Endpoints.RotateSecret(ctx, caller(ctx).owner(), id, value, overlap, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, s.subjectOfSecret(ctx, id, secret.ID))
	return &secretAnswer{Status: createdStatus(created), Body: showSecret(secret, created)}, nil
}

func (s *server) listSecrets(ctx context.Context, input *endpointPath) (*listAnswer[secretJSON], error) {
	id, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	secrets, err := s.Endpoints.Secrets(ctx, caller(ctx).owner(), id)
	if err != nil {
		return nil, err
	}
	return &listAnswer[secretJSON]{Body: listJSON[secretJSON]{
		Data: shown(secrets, func(secret delivery.Secret) secretJSON { return showSecret(secret, false) }),
	}}, nil
}

func (s *server) revokeSecret(ctx context.Context, input *secretPath) (*struct{}, error) {
	endpoint, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	secret, err := idAt(delivery.SecretPrefix, input.Secret)
	if err != nil {
		return nil, err
	}
	if err := s.Endpoints.RevokeSecret(ctx, caller(ctx).owner(), endpoint, secret); err != nil {
		return nil, err
	}
	changed(ctx, s.subjectOfSecret(ctx, endpoint, secret))
	return nil, nil
}

// signingSecret is the secret given, in its canonical form, or a new one. Weak
// and damaged ones are refused, and those that can only verify.
func signingSecret(field, given string) (string, error) {
	if given == "" {
		return webhook.GenerateSecret().Reveal(), nil
	}
	secret, err := webhook.ParseSecret(given)
	if refused, ok := errors.AsType[*webhook.SecretError](err); ok {
		return "", faultAs(InvalidSecret, field, "%s", strings.TrimPrefix(refused.Error(), "webhook: "))
	}
	if err != nil {
		return "", problem(InvalidSecret, "")
	}
	if secret.Kind() == webhook.KindPublic {
		return "", faultAs(InvalidSecret, field, "a public key can only verify: give the private key, whsk_, or leave it out to have a secret generated")
	}
	return secret.Reveal(), nil
}
