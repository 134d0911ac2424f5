package app

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
)

// translate says which of the API's codes an error of the stores means; "" if
// it is none that a client could do something about.
func translate(err error) api.Code {
	if conflict, ok := errors.AsType[registry.Conflict](err); ok {
		return api.Code(conflict) // the conflicts are named after the codes
	}
	if isUnavailable(err) {
		return api.Unavailable
	}
	for _, known := range []struct {
		err  error
		code api.Code
	}{
		{registry.ErrNoTenant, api.UnknownTenant},
		{registry.ErrNoPolicy, api.UnknownPolicy},
		{errUnknownPolicy, api.UnknownPolicy},
		{registry.ErrNotFound, api.NotFound},
		{registry.ErrInvalidText, api.InvalidRequest},
		{history.ErrNotFound, api.NotFound},
		{redelivery.ErrNotFound, api.NotFound},
		{redelivery.ErrNotDead, api.DeliveryNotResolvable},
		{redelivery.ErrResolution, api.InvalidRequest},
		{redelivery.ErrTooMany, api.InvalidRequest},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return ""
}

// isUnavailable recognises a database that is away, starting, full or slow:
// the client should come again, with the same idempotency key.
func isUnavailable(err error) bool {
	if errors.Is(err, publish.ErrStopped) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if pgconn.Timeout(err) || pgconn.SafeToRetry(err) {
		return true
	}
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch pgErr.Code[:2] {
	case "08", // connection exceptions
		"40", // given up in favour of others, again and again
		"53", // insufficient resources: disk full, too many connections
		"55", // not in the required state: locks not available
		"57", // operator intervention: shutting down, starting, cancelled
		"58": // system error
		return true
	}
	return pgErr.Code == "25006" // read-only
}
