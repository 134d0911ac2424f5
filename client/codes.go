package client

// Code is the stable name of what went wrong: it never changes its meaning or
// its HTTP status. It is an error, so that errors.Is(err, client.CodeNotFound)
// works. A later Malote may answer with more.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// Requests that are wrong in themselves.
const (
	CodeInvalidJSON          Code = "invalid_json"
	CodeInvalidRequest       Code = "invalid_request" // see Error.Faults
	CodeInvalidCursor        Code = "invalid_cursor"
	CodeTooManyEvents        Code = "too_many_events"
	CodeBodyTooLarge         Code = "body_too_large"
	CodeBodyIncomplete       Code = "body_incomplete"
	CodeRequestTimeout       Code = "request_timeout"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeMethodNotAllowed     Code = "method_not_allowed"
)

// Requests that another key might make.
const (
	CodeUnauthenticated   Code = "unauthenticated"
	CodeInsufficientScope Code = "insufficient_scope"
)

// Requests about what is not there, or not the key's tenant's.
const (
	CodeNotFound        Code = "not_found"
	CodeUnknownRoute    Code = "unknown_route"
	CodeUnknownTenant   Code = "unknown_tenant"
	CodeUnknownEndpoint Code = "unknown_endpoint"
	CodeUnknownPolicy   Code = "unknown_policy"
	CodeUnknownProvider Code = "unknown_provider"
)

// Requests that a rule refuses.
const (
	CodeURLNotAllowed         Code = "url_not_allowed"
	CodeInvalidSecret         Code = "invalid_secret"
	CodeInvalidPolicy         Code = "invalid_policy"
	CodeInvalidFilter         Code = "invalid_filter"
	CodeInvalidSourceSettings Code = "invalid_source_settings"
)

// Requests that the present state forbids.
const (
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused" // with another request
	CodeCreatedAndDeleted     Code = "created_and_deleted"
	CodeTenantExists          Code = "tenant_exists"
	CodeTenantInUse           Code = "tenant_in_use"
	CodeTenantBusy            Code = "tenant_busy"
	CodeTenantReserved        Code = "tenant_reserved" // it is Malote itself
	CodePolicyExists          Code = "policy_exists"
	CodeSecretExists          Code = "secret_exists"
	CodeTooManySecrets        Code = "too_many_secrets"
	CodeSecretNameTaken       Code = "secret_name_taken"
	CodeSecretHeaderMissing   Code = "secret_header_missing"
	CodeEndpointDisabled      Code = "webhook_endpoint_disabled"
	CodeEndpointBusy          Code = "webhook_endpoint_busy"
	CodeEndpointPolicyChanged Code = "webhook_endpoint_policy_changed"
	CodeDeliveryNotReplayable Code = "webhook_delivery_not_replayable"
	CodeDeliveryNotResolvable Code = "webhook_delivery_not_resolvable"
	CodeRecoveryRunning       Code = "recovery_running"
	CodeRecoveryEnded         Code = "recovery_ended"
	CodeSourceNotRepairable   Code = "source_not_repairable"
	CodeUserExists            Code = "user_exists"
	CodeUserDisabled          Code = "user_disabled"
	CodeLastAdmin             Code = "last_admin"
)

// Failures of others, and of Malote itself.
const (
	CodeProviderFailed Code = "provider_failed"
	CodeInternal       Code = "internal"    // see Error.RequestID
	CodeUnavailable    Code = "unavailable" // whether the request took effect is not known
)
