package app

import (
	"cmp"
	"context"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/store/retention"
)

// aboutAPI tells the API what this process is.
type aboutAPI struct{ process *process }

// About implements api.Abouter.
func (a aboutAPI) About(ctx context.Context) (api.About, error) {
	postgres, schema, err := a.process.store.Version(ctx)
	options := a.process.options
	return api.About{
		Version: options.Version, Roles: mapAll(options.Roles, func(role Role) string { return string(role) }),
		DatabaseVersion: postgres, Schema: schema, PrivateDatabase: options.DatabaseURL == "",
		Retention:    cmp.Or(options.Retention, retention.Default),
		MaxBodyBytes: cmp.Or(options.MaxBodyBytes, api.DefaultMaxBodyBytes),
		PublicURL:    a.process.publicURL(), CanMail: options.MailServer != nil,
	}, err
}
