package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
)

// UsersOptions of NewUsers; they are as in Options.
type UsersOptions struct {
	Users     Users
	AuditLog  AuditLog
	PublicURL string
	Translate func(error) Code
	Log       *slog.Logger
}

// NewUsers makes a handler for /v1/users alone, for who has the database at hand
// and no server to ask. It takes no keys: who asks is in the context (WithCaller).
func NewUsers(options UsersOptions) http.Handler {
	if options.Users == nil || options.AuditLog == nil || options.Translate == nil || options.Log == nil {
		panic(errors.New("api: UsersOptions is not complete"))
	}
	s := &server{
		Options: Options{Users: options.Users, AuditLog: options.AuditLog, PublicURL: options.PublicURL, ClientAddress: peerOf},
		gate:    newGate(noKeys{}, nil), translate: options.Translate, log: options.Log, limits: limitsFor(DefaultMaxBodyBytes),
	}
	routes := newRoutes(s)
	s.registerUsers(routes)
	return s.guard(routes.mux)
}

// noKeys admits nobody.
type noKeys struct{}

// FindKey implements keyFinder.
func (noKeys) FindKey(context.Context, string) (Key, bool, error) { return Key{}, false, nil }
