package sources

import (
	"context"
	"net/url"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// heading says whose source is made or changed.
func (v formView) heading(ctx context.Context) string {
	if v.ID == "" {
		return newText.In(ctx) + ": " + v.Provider.Title
	}
	return editText.In(ctx) + ": " + v.Values["name"]
}

// isOpen shows a group that has something in it, or something wrong.
func (v formView) isOpen(g group) bool {
	for _, f := range g.fields {
		value := v.Values[f.name]
		if ui.FaultOf(v.Refusal, f.name) != "" || value != "" && value != byProvider {
			return true
		}
	}
	return g.open
}

// byProvider is what dedupe and event_type_from are unless they are set.
const byProvider = "provider"

// secretFault is what is wrong with the secret of a new source.
func (v formView) secretFault() string {
	for _, name := range []string{"secrets[0].value", "secrets[0]", "secrets"} {
		if text := ui.FaultOf(v.Refusal, name); text != "" {
			return text
		}
	}
	return ""
}

func (f field) input(v formView) ui.Input {
	in := ui.Input{
		Name: f.name, Label: f.label, Help: f.help, Value: v.Values[f.name], Place: f.example, MaxLen: f.maxLen,
		Required: f.need, Fault: ui.FaultOf(v.Refusal, f.name),
	}
	switch f.kind {
	case words, longText:
		in.Type = "lines"
	case number:
		in.Type = "number"
	}
	if f.kind == words && in.MaxLen == 0 {
		in.MaxLen = 8000
	}
	return in
}

func (f field) choices(ctx context.Context) []ui.Option {
	options := make([]ui.Option, len(f.options))
	for i, value := range f.options {
		options[i] = ui.Option{Value: value, Label: value}
		if value == "" {
			options[i].Label = defaultOption.In(ctx)
		}
	}
	return options
}

// roleOptions are the uses that a secret may have.
func (v oneView) roleOptions(ctx context.Context) []ui.Option {
	roles := []string{roleAny, roleSignature, roleHandshake}
	if v.Provider.GapRepair {
		roles = append(roles, roleRepair)
	}
	options := make([]ui.Option, len(roles))
	for i, role := range roles {
		options[i] = ui.Option{Value: role, Label: roleWords.In(ctx, role)}
	}
	return options
}

func overlapOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, len(overlaps))
	for i, overlap := range overlaps {
		options[i] = ui.Option{Value: overlap, Label: overlapWords.In(ctx, overlap)}
	}
	return options
}

// needsSecret says whether requests are refused for want of a secret: a generic
// source may know its sender by the address alone.
func (v oneView) needsSecret() bool {
	return v.Source.Provider != generic || !strings.Contains(string(v.Source.Options["generic"]), `"auth":"address"`)
}

// tenantOf is the tenant that the page's address names.
func tenantOf(ctx context.Context) string {
	here, err := url.Parse(page.From(ctx).Here)
	if err != nil {
		return ""
	}
	return here.Query().Get("tenant")
}
