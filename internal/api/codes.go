package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Code is the stable name of what went wrong. Clients branch on it: a code
// never changes its meaning or its HTTP status.
type Code string

// Requests that are wrong in themselves.
const (
	InvalidJSON          Code = "invalid_json"
	InvalidRequest       Code = "invalid_request"
	InvalidCursor        Code = "invalid_cursor"
	TooManyEvents        Code = "too_many_events"
	BodyTooLarge         Code = "body_too_large"
	BodyIncomplete       Code = "body_incomplete"
	RequestTimeout       Code = "request_timeout"
	UnsupportedMediaType Code = "unsupported_media_type"
	MethodNotAllowed     Code = "method_not_allowed"
)

// Requests that somebody else might make.
const (
	Unauthenticated   Code = "unauthenticated"
	InsufficientScope Code = "insufficient_scope"
)

// Requests about what is not there.
const (
	NotFound        Code = "not_found"
	UnknownRoute    Code = "unknown_route"
	UnknownTenant   Code = "unknown_tenant"
	UnknownEndpoint Code = "unknown_endpoint"
	UnknownPolicy   Code = "unknown_policy"
	UnknownProvider Code = "unknown_provider"
)

// Requests that a rule refuses.
const (
	URLNotAllowed Code = "url_not_allowed"
	InvalidSecret Code = "invalid_secret"
	InvalidPolicy Code = "invalid_policy"
	InvalidFilter Code = "invalid_filter"

	InvalidSourceSettings Code = "invalid_source_settings"
)

// Requests that the present state forbids.
const (
	IdempotencyKeyReused  Code = "idempotency_key_reused"
	CreatedAndDeleted     Code = "created_and_deleted"
	TenantExists          Code = "tenant_exists"
	TenantInUse           Code = "tenant_in_use"
	TenantBusy            Code = "tenant_busy"
	TenantReserved        Code = "tenant_reserved"
	PolicyExists          Code = "policy_exists"
	SecretExists          Code = "secret_exists"
	TooManySecrets        Code = "too_many_secrets"
	SecretNameTaken       Code = "secret_name_taken"
	SecretHeaderMissing   Code = "secret_header_missing"
	EndpointDisabled      Code = "webhook_endpoint_disabled"
	EndpointBusy          Code = "webhook_endpoint_busy"
	EndpointPolicyChanged Code = "webhook_endpoint_policy_changed"
	DeliveryNotReplayable Code = "webhook_delivery_not_replayable"
	DeliveryNotResolvable Code = "webhook_delivery_not_resolvable"
	RecoveryRunning       Code = "recovery_running"
	RecoveryEnded         Code = "recovery_ended"
	SourceNotRepairable   Code = "source_not_repairable"
	UserExists            Code = "user_exists"
	UserDisabled          Code = "user_disabled"
	LastAdmin             Code = "last_admin"
)

// Failures of others.
const (
	ProviderFailed Code = "provider_failed"
)

// Failures of ours.
const (
	Internal    Code = "internal"
	Unavailable Code = "unavailable"
)

// meaning is what a code stands for, whatever the request.
type meaning struct {
	code   Code
	status int
	advice string // a sentence that says what to do
}

// meanings is the one enumeration of all codes, in the order of the
// documentation.
var meanings = []meaning{
	{InvalidJSON, http.StatusBadRequest, "The body is not valid JSON (RFC 8259): send one value in UTF-8 and nothing after it."},
	{InvalidRequest, http.StatusBadRequest, "A part of the request is missing, unknown or out of range: see errors."},
	{InvalidCursor, http.StatusBadRequest, "The cursor is not one of this list with these filters: use next_cursor as it came, with the same filters, or start without a cursor."},
	{TooManyEvents, http.StatusBadRequest, "A batch has 1 to 1,000 events: split it."},
	{BodyIncomplete, http.StatusBadRequest, "The body ended before its announced length: send it again."},
	{Unauthenticated, http.StatusUnauthorized, "Send an API key that works, as Authorization: Bearer <key>."},
	{InsufficientScope, http.StatusForbidden, "The API key is not allowed to do this: use one with a wider scope."},
	{NotFound, http.StatusNotFound, "There is nothing with this id, or it is not yours."},
	{UnknownRoute, http.StatusNotFound, "There is nothing at this path: see /docs for all that there is."},
	{UnknownTenant, http.StatusNotFound, "There is no such tenant: create it first, or correct the name."},
	{UnknownEndpoint, http.StatusNotFound, "The tenant has no such endpoint: correct endpoint_ids, or leave it out to reach all that subscribe."},
	{UnknownPolicy, http.StatusNotFound, "There is no policy with this name: GET /v1/policies lists them."},
	{UnknownProvider, http.StatusNotFound, "There is no provider with this name: GET /v1/source_providers lists them, and generic is for anybody else."},
	{MethodNotAllowed, http.StatusMethodNotAllowed, "This path does not take this method: see the Allow header."},
	{RequestTimeout, http.StatusRequestTimeout, "The body did not arrive in time: send it again."},
	{IdempotencyKeyReused, http.StatusConflict, "The idempotency key was used before with another request: use a new key for a new request."},
	{CreatedAndDeleted, http.StatusConflict, "What was created with this idempotency key has been deleted since: use a new key."},
	{TenantExists, http.StatusConflict, "There is already a tenant with this id: choose another, or change that one."},
	{TenantInUse, http.StatusConflict, "The tenant still has endpoints or sources: delete those first."},
	{TenantBusy, http.StatusConflict, "Deliveries to the tenant's deleted endpoints are still being sent: try again in a minute."},
	{TenantReserved, http.StatusConflict, "The tenant malote is Malote itself: it cannot be created or deleted, and has no sources. Its endpoints are where alerts go."},
	{PolicyExists, http.StatusConflict, "There is already another policy with this name, and policies never change: choose a new name."},
	{SecretExists, http.StatusConflict, "The endpoint or source has this secret already: choose another one, or leave an endpoint's out to have one generated."},
	{TooManySecrets, http.StatusConflict, "Ten secrets of the endpoint or source are live already: revoke one first, or wait until a rotation's overlap is over."},
	{SecretNameTaken, http.StatusConflict, "A live secret of the source has this name already: choose another one, or revoke that one first."},
	{SecretHeaderMissing, http.StatusConflict, "A secret header was to keep its value and has none: another request removed it; give its value."},
	{EndpointBusy, http.StatusConflict, "No attempt could be made in time: the endpoint's slots are taken, or it is paused after failures. The test event stays queued, ahead of all others."},
	{EndpointDisabled, http.StatusConflict, "The endpoint is disabled, or paused where only an active one will do: enable it first."},
	{EndpointPolicyChanged, http.StatusConflict, "The endpoint's policy was changed at the same time: read it again and retry."},
	{DeliveryNotReplayable, http.StatusConflict, "The delivery cannot be replayed: its state, its policy or its endpoint does not allow it."},
	{DeliveryNotResolvable, http.StatusConflict, "Only dead deliveries can be resolved."},
	{RecoveryRunning, http.StatusConflict, "Another recovery of the endpoint is running: cancel it, or wait until it is done."},
	{RecoveryEnded, http.StatusConflict, "The recovery has ended already."},
	{SourceNotRepairable, http.StatusConflict, "The source's gaps cannot be repaired: detail says what it lacks."},
	{UserExists, http.StatusConflict, "There is already a user of this name, in whatever case: choose another, or make that one a new link."},
	{UserDisabled, http.StatusConflict, "The user is disabled, so that a link would not open: enable the user first."},
	{LastAdmin, http.StatusConflict, "This is the last administrator who can log in, and nobody could let others in: make another one an administrator first, who has set a password."},
	{BodyTooLarge, http.StatusRequestEntityTooLarge, "The body is over the limit: send less, or a link to the data."},
	{UnsupportedMediaType, http.StatusUnsupportedMediaType, "Send the body as application/json, in UTF-8 and without Content-Encoding."},
	{URLNotAllowed, http.StatusUnprocessableEntity, "The URL may not be called: detail says which rule forbids it and what to do."},
	{InvalidSecret, http.StatusUnprocessableEntity, "The secret cannot be used: detail says why. An endpoint's may be left out to have one generated."},
	{InvalidPolicy, http.StatusUnprocessableEntity, "The policy does not make sense: detail says in which line, and why."},
	{InvalidFilter, http.StatusUnprocessableEntity, "The filter is not a CEL expression that is true or false: detail says where, and why."},
	{InvalidSourceSettings, http.StatusUnprocessableEntity, "The settings do not make sense for the source's provider: see errors."},
	{Internal, http.StatusInternalServerError, "Something went wrong on our side; the log has it under this request_id."},
	{ProviderFailed, http.StatusBadGateway, "The provider's API did not do what it was asked: detail says why. Repeating the request does no harm."},
	{Unavailable, http.StatusServiceUnavailable, "The database cannot be reached or is too slow: retry after the time in Retry-After. Whether a publish that gets this answer took effect is not known: repeat it with the same idempotency key."},
}

var meaningOf = func() map[Code]meaning {
	index := make(map[Code]meaning, len(meanings))
	for _, m := range meanings {
		index[m.code] = m
	}
	return index
}()

// Status is the HTTP status that always comes with the code; 0: there is no
// such code.
func (c Code) Status() int { return meaningOf[c].status }

// Schema lists the codes in the OpenAPI document.
func (Code) Schema(huma.Registry) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString, Description: "What went wrong, as a stable name."}
	for _, m := range meanings {
		schema.Enum = append(schema.Enum, string(m.code))
	}
	return schema
}
