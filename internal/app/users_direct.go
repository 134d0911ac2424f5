package app

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/accounts"
	"github.com/malotehq/malote/internal/store/audit"
	"github.com/malotehq/malote/internal/store/registry"
)

// DirectUsers answers the API's requests about users in the database itself,
// without a server: for who is locked out of everything but the database.
type DirectUsers struct {
	store *store.Store
	users http.Handler
	actor api.Actor
}

// OpenDirectUsers needs a database with the current schema. The audit log will
// say that somebody of this name had the database at hand.
func OpenDirectUsers(ctx context.Context, dsn, publicURL, actor string, log *slog.Logger) (*DirectUsers, error) {
	s, err := store.Open(ctx, store.Options{DSN: dsn, HotConnections: 1, Connections: 2, Log: log})
	if err != nil {
		return nil, err
	}
	users := usersAPI{accounts.New(s, accounts.Options{}), registry.New(s, registry.Options{})}
	return &DirectUsers{
		store: s, actor: api.Actor{Kind: api.ActorDatabase, Name: actor},
		users: api.NewUsers(api.UsersOptions{
			Users: users, AuditLog: auditAPI{audit.New(s, audit.Options{})}, PublicURL: publicURL, Translate: translate, Log: log,
		}),
	}, nil
}

// ServeHTTP implements http.Handler. Whoever can call it may do everything.
func (d *DirectUsers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.users.ServeHTTP(w, r.WithContext(api.WithCaller(r.Context(), api.Caller{Scope: api.ScopeAdmin, Actor: d.actor})))
}

// Close gives the connections back.
func (d *DirectUsers) Close() { d.store.Close() }
