package registry

import (
	"errors"

	"github.com/malotehq/malote/internal/delivery"
)

// What errors.Is finds behind every NotFound and every Conflict.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
)

// ErrInvalidText refuses text that PostgreSQL cannot hold.
var ErrInvalidText = errors.New("text must be UTF-8 without the character U+0000")

// NotFound says what does not exist, or belongs to somebody else: the two are
// never told apart.
type NotFound string

// What may be missing.
const (
	ErrNoTenant   NotFound = "tenant"
	ErrNoKey      NotFound = "API key"
	ErrNoEndpoint NotFound = "endpoint"
	ErrNoSecret   NotFound = "secret"
	ErrNoPolicy   NotFound = "policy"
	ErrNoSource   NotFound = "source"
)

func (n NotFound) Error() string { return "there is no such " + string(n) }

// Is matches ErrNotFound, and for a tenant and an endpoint also the word that
// publishers use for it.
func (n NotFound) Is(target error) bool {
	return target == ErrNotFound ||
		n == ErrNoTenant && target == delivery.ErrUnknownTenant ||
		n == ErrNoEndpoint && target == delivery.ErrUnknownEndpoint
}

// Conflict says why the present state forbids a change. Its text is the stable
// code of the public API; Error explains it. A reused idempotency key is
// delivery.ErrKeyReused.
type Conflict string

// Every conflict.
const (
	ErrTenantExists Conflict = "tenant_exists"
	ErrTenantInUse  Conflict = "tenant_in_use"
	// ErrTenantBusy: its endpoints are deleted, but something is still on its
	// way to them. It passes by itself, within a lease.
	ErrTenantBusy Conflict = "tenant_busy"
	// ErrTenantReserved: it is Malote itself, which nobody else can be or end.
	ErrTenantReserved   Conflict = "tenant_reserved"
	ErrEndpointDisabled Conflict = "webhook_endpoint_disabled"
	ErrSecretExists     Conflict = "secret_exists"
	// ErrTooManySecrets: MaxSecrets are live already.
	ErrTooManySecrets Conflict = "too_many_secrets"
	// ErrSecretNameTaken: the source has a live secret of that name.
	ErrSecretNameTaken Conflict = "secret_name_taken"
	// ErrNoSecretHeader: the value of a secret header is to be kept, and there is
	// no header of that name.
	ErrNoSecretHeader Conflict = "secret_header_missing"
	ErrPolicyExists   Conflict = "policy_exists"
	ErrPolicyInUse    Conflict = "policy_in_use"
	// ErrPolicyChanged: the endpoint has another policy than the one that the
	// given Defaults are of. Read it again and retry.
	ErrPolicyChanged Conflict = "webhook_endpoint_policy_changed"
	// ErrCreatedAndDeleted: an idempotency key is repeated after what it once
	// created was deleted.
	ErrCreatedAndDeleted Conflict = "created_and_deleted"
)

var conflictTexts = map[Conflict]string{
	ErrTenantExists:      "there is already a tenant with this id",
	ErrTenantInUse:       "the tenant still has endpoints or sources: delete those first",
	ErrTenantBusy:        "deliveries to the tenant's deleted endpoints are still being sent: try again in a minute",
	ErrTenantReserved:    "the tenant malote is Malote itself: it cannot be created or deleted, and has no sources",
	ErrEndpointDisabled:  "the endpoint is disabled: enable it instead",
	ErrTooManySecrets:    "there are as many live secrets as there may be: revoke one first",
	ErrSecretExists:      "this secret is there already: choose another value",
	ErrSecretNameTaken:   "a live secret has this name already: choose another one, or revoke that one first",
	ErrNoSecretHeader:    "there is no secret header of this name whose value could be kept: give it one",
	ErrPolicyExists:      "there is already another policy with this name, and policies never change: choose a new name",
	ErrPolicyInUse:       "endpoints still use this policy: give them another one first",
	ErrPolicyChanged:     "the endpoint's policy was changed at the same time: try again",
	ErrCreatedAndDeleted: "what was created with this idempotency key has been deleted: use a new key",
}

func (c Conflict) Error() string { return conflictTexts[c] }

// Is matches ErrConflict.
func (c Conflict) Is(target error) bool { return target == ErrConflict }
