package app

import (
	"errors"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/recovery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/accounts"
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
	if errors.Is(err, publish.ErrStopped) || store.IsUnavailable(err) {
		return api.Unavailable
	}
	if _, waits := errors.AsType[*testWaitsError](err); waits {
		return api.EndpointBusy
	}
	if _, invalid := errors.AsType[recovery.Invalid](err); invalid {
		return api.InvalidRequest
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
		{accounts.ErrNotFound, api.NotFound},
		{accounts.ErrNameTaken, api.UserExists},
		{accounts.ErrLastAdmin, api.LastAdmin},
		{redelivery.ErrNotFound, api.NotFound},
		{redelivery.ErrNotDead, api.DeliveryNotResolvable},
		{redelivery.ErrResolution, api.InvalidRequest},
		{redelivery.ErrTooMany, api.InvalidRequest},
		{redelivery.ErrNoRecovery, api.NotFound},
		{redelivery.ErrRunning, api.RecoveryRunning},
		{redelivery.ErrEnded, api.RecoveryEnded},
		{redelivery.ErrUncounted, api.InvalidRequest},
		{redelivery.ErrEndpointDisabled, api.EndpointDisabled},
		{redelivery.ErrEndpointDeleted, api.NotFound},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return ""
}
