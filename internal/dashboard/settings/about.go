package settings

import (
	"context"
	"net/http"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// about is /v1/about.
type about struct {
	Version         string   `json:"version"`
	Roles           []string `json:"roles"`
	DatabaseVersion string   `json:"database_version"`
	Schema          int      `json:"schema_version"`
	PrivateDatabase bool     `json:"private_database"`
	RetentionHours  float64  `json:"retention_hours"`
	MaxBodyBytes    int      `json:"max_body_bytes"`
	PublicURL       string   `json:"public_url"`
	CanMail         bool     `json:"can_mail"`
}

type aboutView struct {
	About     about
	Processes int // that said lately that they are at work
}

func showAbout(r *page.Request) error {
	found, err := page.Get[about](r, page.API("about"), nil)
	if err != nil {
		return err
	}
	now, err := page.Get[records.Now](r, page.API("stats", "now"), nil)
	if err != nil {
		return err
	}
	return r.Show(page.Content{
		Title: aboutTitle.In(r.Context()), Status: http.StatusOK, Body: aboutPage(aboutView{found, now.Processes}),
	})
}

func (a about) roles(ctx context.Context) string {
	names := make([]string, len(a.Roles))
	for i, role := range a.Roles {
		names[i] = processRoles.In(ctx, role)
	}
	return strings.Join(names, ", ")
}

// doctorCommand says what is wrong with an installation.
const doctorCommand = "malote doctor"
