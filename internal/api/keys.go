package api

import (
	"context"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
)

type keyJSON struct {
	ID        string    `json:"id" example:"key_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Scope     Scope     `json:"scope" enum:"admin,tenant,publish,read" example:"publish"`
	Tenant    *string   `json:"tenant" example:"acme" doc:"null for the scope admin."`
	Name      string    `json:"name" example:"Billing"`
	CreatedAt timestamp `json:"created_at" nullable:"false"`
	RevokedAt timestamp `json:"revoked_at" doc:"null while it works."`
	Key       *string   `json:"key,omitempty" example:"mlt_…" doc:"The key itself: only in the answer to its creation. It is stored as a hash, and nobody can see it again."`
}

func showKey(k Key) keyJSON {
	return keyJSON{
		ID: k.ID.Format(delivery.KeyPrefix), Scope: k.Scope, Tenant: optional(k.Tenant), Name: k.Name,
		CreatedAt: timestamp{k.CreatedAt}, RevokedAt: timestamp{k.RevokedAt},
	}
}

type newKeyJSON struct {
	Scope  Scope  `json:"scope" enum:"admin,tenant,publish,read" doc:"What the key may do: everything, everything of its tenant, only publish, only read."`
	Tenant string `json:"tenant,omitempty" maxLength:"64" doc:"For the scope admin it must be left out; for the others, an admin key must say it, and a tenant's key may leave it out."`
	Name   string `json:"name,omitempty" maxLength:"200" doc:"For yourself, to know later what the key was for."`
}

type createKeyInput struct {
	OncePerKey
	Body newKeyJSON
}

type createKeyAnswer struct {
	Status int
	Body   keyJSON
}

type listKeysInput struct {
	Paging
	Tenant string `query:"tenant" maxLength:"64" doc:"Only this tenant's keys."`
}

type keyPath struct {
	ID string `path:"id" doc:"The key's id, not the key itself."`
}

func (s *server) registerKeys(r *routes) {
	handle(r, route{
		id: "create-key", method: http.MethodPost, path: "/v1/keys", tag: tagKeys, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Create an API key",
		description: "The answer holds the key itself, this once. A tenant's key may create keys for its own tenant, but none with the scope `admin`.",
		sample:      `{"scope": "publish", "tenant": "acme", "name": "Billing"}`, codes: []Code{UnknownTenant, CreatedAndDeleted},
	}, s.createKey)
	handle(r, route{
		id: "list-keys", method: http.MethodGet, path: "/v1/keys", tag: tagKeys, need: mayManage,
		summary: "List API keys", description: "Oldest first, revoked ones included.", sample: "tenant=acme",
	}, s.listKeys)
	handle(r, route{
		id: "revoke-key", method: http.MethodDelete, path: "/v1/keys/{id}", tag: tagKeys, need: mayManage,
		summary: "Revoke an API key", description: "It stops working within 5 seconds. It stays in the list.",
	}, s.revokeKey)
}

func (s *server) createKey(ctx context.Context, input *createKeyInput) (*createKeyAnswer, error) {
	tenant, err := tenantOfKey(caller(ctx), input.Body)
	if err != nil {
		return nil, err
	}
	plain, key, err := s.Keys.CreateKey(ctx, input.Body.Scope, tenant, input.Body.Name, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, plain != "", subjectOfKey(key))
	answer := &createKeyAnswer{Status: createdStatus(plain != ""), Body: showKey(key)}
	answer.Body.Key = optional(plain)
	return answer, nil
}

func tenantOfKey(who principal, asked newKeyJSON) (string, error) {
	if asked.Scope != ScopeAdmin {
		return who.tenantNamed(asked.Tenant)
	}
	switch {
	case !who.isAdmin():
		return "", problem(InsufficientScope, "Only an admin key may create admin keys.")
	case asked.Tenant != "":
		return "", fault("tenant", "must be left out: an admin key belongs to no tenant")
	default:
		return "", nil
	}
}

func (s *server) listKeys(ctx context.Context, input *listKeysInput) (*listAnswer[keyJSON], error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	list := listOf("keys", input.Tenant)
	after, err := list.afterID(input.Cursor)
	if err != nil {
		return nil, err
	}
	keys, more, err := s.Keys.Keys(ctx, owner, Page{After: after, Limit: input.Limit})
	if err != nil {
		return nil, err
	}
	answer := &listAnswer[keyJSON]{Body: listJSON[keyJSON]{Data: shown(keys, showKey)}}
	if more {
		answer.Body.NextCursor = list.idCursor(keys[len(keys)-1].ID)
	}
	return answer, nil
}

func (s *server) revokeKey(ctx context.Context, input *keyPath) (*struct{}, error) {
	id, err := idAt(delivery.KeyPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	key, err := s.Keys.RevokeKey(ctx, caller(ctx).owner(), id)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfKey(key))
	return nil, nil
}

func subjectOfKey(key Key) Subject {
	return Subject{
		Tenant: key.Tenant, Kind: SubjectKey, ID: key.ID.Format(delivery.KeyPrefix), Detail: "scope: " + string(key.Scope),
	}
}
