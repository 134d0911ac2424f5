package api

import (
	"context"
	"net/http"
	"time"
)

// Abouter tells what this Malote is.
type Abouter interface {
	About(ctx context.Context) (About, error)
}

// About is what one process is and how it is set up: nothing secret.
type About struct {
	Version         string
	Roles           []string
	DatabaseVersion string
	Schema          int64 // the newest migration that the database has
	PrivateDatabase bool  // Malote runs it itself
	Retention       time.Duration
	MaxBodyBytes    int
	PublicURL       string // "": not known
	CanMail         bool
}

type aboutJSON struct {
	Version         string   `json:"version" example:"1.4.0"`
	Roles           []string `json:"roles" example:"[\"api\",\"dashboard\"]" doc:"Of the process that answers."`
	DatabaseVersion string   `json:"database_version" example:"17.2"`
	Schema          int64    `json:"schema_version" example:"8" doc:"The newest migration that the database has."`
	PrivateDatabase bool     `json:"private_database" doc:"Malote runs its database itself."`
	RetentionHours  float64  `json:"retention_hours" example:"720" doc:"How long what happened is kept."`
	MaxBodyBytes    int      `json:"max_body_bytes" example:"1048576" doc:"Of an event."`
	PublicURL       *string  `json:"public_url" example:"https://malote.example.com" doc:"null: it is not known (--public-url)."`
	CanMail         bool     `json:"can_mail" doc:"An SMTP server is configured."`
}

func (s *server) registerAbout(r *routes) {
	handle(r, route{
		id: "get-about", method: http.MethodGet, path: "/v1/about", tag: tagHealth, need: mayAdmin,
		summary: "What this Malote is", description: "Version and settings of the process that answers.",
	}, s.getAbout)
}

type aboutAnswer struct{ Body aboutJSON }

func (s *server) getAbout(ctx context.Context, _ *struct{}) (*aboutAnswer, error) {
	about, err := s.About.About(ctx)
	if err != nil {
		return nil, err
	}
	return &aboutAnswer{aboutJSON{
		Version: about.Version, Roles: listed(about.Roles), DatabaseVersion: about.DatabaseVersion, Schema: about.Schema,
		PrivateDatabase: about.PrivateDatabase, RetentionHours: about.Retention.Hours(), MaxBodyBytes: about.MaxBodyBytes,
		PublicURL: optional(about.PublicURL), CanMail: about.CanMail,
	}}, nil
}
