package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// RoleRepair is the role of a source's secret that opens the provider's own API.
// It verifies nothing.
const RoleRepair source.Role = "repair"

// anyRole is what JSON calls source.RoleAny.
const anyRole = "any"

// SourceSecret is a secret of a source, without its value.
type SourceSecret struct {
	ID        delivery.ID
	Name      string
	Role      source.Role
	CreatedAt time.Time
	ExpiresAt time.Time // zero: until revoked
}

type sourceSecretJSON struct {
	ID        string    `json:"id" example:"sec_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Name      string    `json:"name" example:"live" doc:"Logs name it where it matched."`
	Role      string    `json:"role" enum:"any,signature,handshake,repair" doc:"What it may be used for."`
	CreatedAt timestamp `json:"created_at" nullable:"false"`
	ExpiresAt timestamp `json:"expires_at" doc:"When it stops being taken; null: when it is revoked."`
}

func showSourceSecret(secret SourceSecret) sourceSecretJSON {
	role := string(secret.Role)
	if secret.Role == source.RoleAny {
		role = anyRole
	}
	return sourceSecretJSON{
		ID: secret.ID.Format(delivery.SecretPrefix), Name: secret.Name, Role: role,
		CreatedAt: timestamp{secret.CreatedAt}, ExpiresAt: timestamp{secret.ExpiresAt},
	}
}

type newSourceSecretJSON struct {
	Name  string `json:"name,omitempty" maxLength:"100" doc:"Left out: its id."`
	Role  string `json:"role,omitempty" enum:"any,signature,handshake,repair" default:"any" doc:"any: whatever the provider has one for. signature: never what a handshake brings. handshake: nothing but that. repair: it opens the provider's API, for the repair of gaps."`
	Value string `json:"value" minLength:"1" maxLength:"8192" doc:"Exactly as the provider shows it: see secret in GET /v1/source_providers. Nobody can see it again."`
}

// givenSecret is a secret of a new source: its value alone, or an object.
type givenSecret struct{ newSourceSecretJSON }

// UnmarshalJSON reads either form, which the schema has checked.
func (g *givenSecret) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), `"`) {
		return json.Unmarshal(text, &g.Value)
	}
	return json.Unmarshal(text, &g.newSourceSecretJSON)
}

// Schema documents the type.
func (givenSecret) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, MinLength: new(1), MaxLength: new(8192)},
		r.Schema(reflect.TypeFor[newSourceSecretJSON](), true, ""),
	}}
}

type sourceRotationRequestJSON struct {
	Name    string `json:"name,omitempty" maxLength:"100" doc:"Left out: its id."`
	Role    string `json:"role,omitempty" enum:"any,signature,handshake,repair" default:"any" doc:"What it, and those that it replaces, may be used for."`
	Value   string `json:"value" minLength:"1" maxLength:"8192" doc:"Exactly as the provider shows it. Nobody can see it again."`
	Overlap *span  `json:"overlap,omitempty" doc:"How long the older ones of the same role go on being taken beside it, from 0s to 720h. Left out: 24h."`
}

type addSourceSecretInput struct {
	OncePerKey
	ID   string `path:"id" doc:"The source's id."`
	Body newSourceSecretJSON
}

type rotateSourceSecretInput struct {
	OncePerKey
	ID   string `path:"id" doc:"The source's id."`
	Body sourceRotationRequestJSON
}

type sourceSecretPath struct {
	ID     string `path:"id" doc:"The source's id."`
	Secret string `path:"secret" doc:"The secret's id, not the secret itself."`
}

type sourceSecretAnswer struct {
	Status int
	Body   sourceSecretJSON
}

func (s *server) registerSourceSecrets(r *routes) {
	const root = "/v1/sources/{id}/secrets"
	codes := []Code{InvalidSecret, SecretExists, SecretNameTaken, TooManySecrets, CreatedAndDeleted}
	handle(r, route{
		id: "add-source-secret", method: http.MethodPost, path: root, tag: tagSources, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Add a secret to a source",
		description: "It is taken beside the others, within a second.",
		sample:      `{"name": "second", "value": "9f2c1d0e7b6a5948"}`, codes: codes,
	}, s.addSourceSecret)
	handle(r, route{
		id: "rotate-source-secret", method: http.MethodPost, path: root + "/rotate", tag: tagSources, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Rotate a source's secret",
		description: "Adds the provider's new secret and lets all older ones of the same role expire after the overlap, in which either is taken.",
		sample:      `{"value": "5b1e0c9d8f7a6e42", "overlap": "48h"}`, codes: codes,
	}, s.rotateSourceSecret)
	handle(r, route{
		id: "list-source-secrets", method: http.MethodGet, path: root, tag: tagSources, need: mayManage,
		summary: "List a source's secrets", description: "Those that are taken, newest first, without their values.",
	}, s.listSourceSecrets)
	handle(r, route{
		id: "revoke-source-secret", method: http.MethodDelete, path: root + "/{secret}", tag: tagSources, need: mayManage,
		summary: "Revoke a source's secret", description: "Within a second nothing is taken any more that was signed with it.",
	}, s.revokeSourceSecret)
}

// sourceSecret checks a secret as far as that can be done without a request that
// it signed.
func (s *server) sourceSecret(field string, body newSourceSecretJSON, provider *source.Provider) (source.Secret, error) {
	if field != "" {
		field += "."
	}
	secret := source.Secret{Name: body.Name, Value: body.Value, Role: source.Role(body.Role)}
	if body.Role == anyRole {
		secret.Role = source.RoleAny
	}
	var err error
	switch {
	case secret.Role != RoleRepair:
		err = provider.CheckSecret(secret)
	case !s.SourceRules.RepairsGaps(provider.Name):
		return source.Secret{}, faultAs(InvalidSecret, field+"role", "is for providers whose API lists what they sent, and %s is none that is known here", provider.Title)
	case strings.ContainsFunc(secret.Value, func(c rune) bool { return c <= ' ' || c > '~' }):
		return source.Secret{}, faultAs(InvalidSecret, field+"value", "must be a key of the provider's API, without white space")
	}
	if err != nil {
		return source.Secret{}, faultAs(InvalidSecret, field+"value", "%v; for %s it is %s", err, provider.Title, provider.Secret)
	}
	return secret, nil
}

// secretFor finds the source that a path names, and checks a secret for it.
func (s *server) secretFor(ctx context.Context, named string, body newSourceSecretJSON) (delivery.ID, source.Secret, error) {
	id, found, err := s.sourceAt(ctx, named)
	if err != nil {
		return delivery.ID{}, source.Secret{}, err
	}
	provider, known := source.Lookup(found.Provider)
	if !known {
		return delivery.ID{}, source.Secret{}, problem(UnknownProvider, "This version has no provider %s.", found.Provider)
	}
	secret, err := s.sourceSecret("", body, provider)
	return id, secret, err
}

func (s *server) addSourceSecret(ctx context.Context, input *addSourceSecretInput) (*sourceSecretAnswer, error) {
	id, secret, err := s.secretFor(ctx, input.ID, input.Body)
	if err != nil {
		return nil, err
	}
	added, created, err := s.Sources.AddSourceSecret(ctx, caller(ctx).owner(), id, secret, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, s.subjectOfSourceSecret(ctx, id, added.ID))
	return &sourceSecretAnswer{Status: createdStatus(created), Body: showSourceSecret(added)}, nil
}

func (s *server) rotateSourceSecret(ctx context.Context, input *rotateSourceSecretInput) (*sourceSecretAnswer, error) {
	overlap := defaultOverlap
	if input.Body.Overlap != nil {
		overlap = time.Duration(*input.Body.Overlap)
	}
	if overlap < 0 || overlap > maxOverlap {
		return nil, fault("overlap", "must lie between 0s and %s", span(maxOverlap))
	}
	id, secret, err := s.secretFor(ctx, input.ID, newSourceSecretJSON{input.Body.Name, input.Body.Role, input.Body.Value})
	if err != nil {
		return nil, err
	}
	added, created, err := s.Sources.RotateSourceSecret(ctx, caller(ctx).owner(), id, secret, overlap, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, s.subjectOfSourceSecret(ctx, id, added.ID))
	return &sourceSecretAnswer{Status: createdStatus(created), Body: showSourceSecret(added)}, nil
}

func (s *server) listSourceSecrets(ctx context.Context, input *sourcePath) (*listAnswer[sourceSecretJSON], error) {
	id, err := idAt(delivery.SourcePrefix, input.ID)
	if err != nil {
		return nil, err
	}
	secrets, err := s.Sources.SourceSecrets(ctx, caller(ctx).owner(), id)
	if err != nil {
		return nil, err
	}
	return &listAnswer[sourceSecretJSON]{Body: listJSON[sourceSecretJSON]{Data: shown(secrets, showSourceSecret)}}, nil
}

func (s *server) revokeSourceSecret(ctx context.Context, input *sourceSecretPath) (*struct{}, error) {
	id, err := idAt(delivery.SourcePrefix, input.ID)
	if err != nil {
		return nil, err
	}
	secret, err := idAt(delivery.SecretPrefix, input.Secret)
	if err != nil {
		return nil, err
	}
	if err := s.Sources.RevokeSourceSecret(ctx, caller(ctx).owner(), id, secret); err != nil {
		return nil, err
	}
	changed(ctx, s.subjectOfSourceSecret(ctx, id, secret))
	return nil, nil
}

// subjectOfSourceSecret says in the detail whose it is.
func (s *server) subjectOfSourceSecret(ctx context.Context, id, secret delivery.ID) Subject {
	return Subject{
		Tenant: s.tenantOfSource(ctx, id), Kind: SubjectSourceSecret, ID: secret.Format(delivery.SecretPrefix),
		Detail: id.Format(delivery.SourcePrefix),
	}
}
