package api

import (
	"encoding/json"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// Source is where a provider's webhooks come in.
type Source struct {
	ID          delivery.ID
	Tenant      string
	Name        string
	Provider    string
	Description string
	Settings    json.RawMessage // one object: see settingsOf
	PausedAt    time.Time       // zero: it is not paused
	CreatedAt   time.Time
	UpdatedAt   time.Time
	SecretNames []string // of the live ones, newest first
}

// NewSource is a source to be created.
type NewSource struct {
	Tenant      string
	Name        string
	Provider    string
	Description string
	Settings    json.RawMessage
	Secrets     []source.Secret // the current one first
}

// SourceChange changes what is not nil.
type SourceChange struct {
	Name        *string
	Description *string
	// Settings makes the new settings of the present ones, which nobody else
	// changes meanwhile. It may be called again, and its error undoes everything.
	Settings func(present json.RawMessage) (json.RawMessage, error)
}

type sourceJSON struct {
	ID            string           `json:"id" example:"src_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant        string           `json:"tenant" example:"acme"`
	Name          string           `json:"name" example:"Stripe, live mode"`
	Provider      string           `json:"provider" example:"stripe" doc:"See GET /v1/source_providers."`
	Description   string           `json:"description" doc:"For people."`
	ReceivePath   string           `json:"receive_path" example:"/in/src_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"What the provider is given, behind this server's public address."`
	ReceiveURL    *string          `json:"receive_url" example:"https://hooks.example.com/in/src_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"The whole address; null: this server was not told its public one."`
	Status        string           `json:"status" enum:"active,paused" doc:"Paused, it turns every request away with 503, so that the provider comes again."`
	PausedAt      timestamp        `json:"paused_at" doc:"null: it is not paused."`
	SecretNames   []string         `json:"secret_names" example:"[\"live\"]" doc:"Of those that verify now, newest first. Nobody can see the values again."`
	Dedupe        string           `json:"dedupe" example:"provider" doc:"By what a repetition is known."`
	EventTypeFrom string           `json:"event_type_from" example:"provider" doc:"Where an event's type comes from."`
	Headers       *[]string        `json:"forward_headers" nullable:"true" doc:"Which of the provider's headers are stored and passed on; null: those that tell about the event, as known for the provider."`
	Options       sourceOptions    `json:"options" doc:"All settings besides that were set."`
	GapRepair     *gapProgressJSON `json:"gap_repair,omitempty" doc:"How far the provider's own list has been compared; only in the answer for one source, and once something was."`
	CreatedAt     timestamp        `json:"created_at" nullable:"false"`
	UpdatedAt     timestamp        `json:"updated_at" nullable:"false"`
}

func (s *server) showSource(src Source) sourceJSON {
	path := "/in/" + src.ID.Format(delivery.SourcePrefix)
	view := sourceJSON{
		ID: src.ID.Format(delivery.SourcePrefix), Tenant: src.Tenant, Name: src.Name, Provider: src.Provider,
		Description: src.Description, ReceivePath: path, Status: "active", PausedAt: timestamp{src.PausedAt},
		SecretNames: listed(src.SecretNames), CreatedAt: timestamp{src.CreatedAt}, UpdatedAt: timestamp{src.UpdatedAt},
	}
	if s.PublicURL != "" {
		view.ReceiveURL = new(s.PublicURL + path)
	}
	if !src.PausedAt.IsZero() {
		view.Status = "paused"
	}
	settingsOf(src.Settings).show(&view)
	return view
}

type newSourceJSON struct {
	Tenant        string        `json:"tenant,omitempty" maxLength:"64" doc:"Required of an admin key. A tenant's key has its own and may leave it out."`
	Name          string        `json:"name" minLength:"1" maxLength:"100" doc:"For people."`
	Provider      string        `json:"provider" maxLength:"64" doc:"Who sends: see GET /v1/source_providers. It never changes. generic is for anybody."`
	Secrets       []givenSecret `json:"secrets,omitempty" maxItems:"10" doc:"What the provider's webhooks are verified with: each its value, or an object with name, role and value. Any live one may match. They may be added later: some providers tell theirs only once they have the address."`
	Description   string        `json:"description,omitempty" maxLength:"1000" doc:"For people."`
	Dedupe        textSetting   `json:"dedupe,omitempty" doc:"By what a repetition is known: provider (its own id), body_hash, none, header:Name, or json: and a path such as json:data.id. Left out: provider."`
	EventTypeFrom textSetting   `json:"event_type_from,omitempty" doc:"Where an event's type comes from: provider, fixed: and a type, header:Name, or json: and a path. Left out: provider."`
	Headers       namesSetting  `json:"forward_headers,omitempty" doc:"Which of the request's headers are stored and passed on. Left out: those of the provider that tell about the event. Credentials and signatures never are."`
	Options       sourceOptions `json:"options,omitempty" doc:"All that is set seldom."`
}

type sourcePatchJSON struct {
	Name          *string       `json:"name,omitempty" minLength:"1" maxLength:"100" doc:"For people."`
	Description   *string       `json:"description,omitempty" maxLength:"1000" doc:"For people."`
	Dedupe        textSetting   `json:"dedupe,omitempty" doc:"By what a repetition is known; null: back to the default, as the next three."`
	EventTypeFrom textSetting   `json:"event_type_from,omitempty" doc:"Where an event's type comes from."`
	Headers       namesSetting  `json:"forward_headers,omitempty" doc:"Replaces the list."`
	Options       sourceOptions `json:"options,omitempty" doc:"Each member that is given replaces the one that was there, as a whole; null puts one back to its default."`
}
