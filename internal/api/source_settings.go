package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// maxSourceSettings bounds a source's settings, in bytes, as storage does.
const maxSourceSettings = 16 << 10

// The settings that stand beside options in requests and answers; in storage all
// are one object.
const (
	dedupeSetting  = "dedupe"
	typeSetting    = "event_type_from"
	headersSetting = "forward_headers"
)

var outerSettings = []string{dedupeSetting, typeSetting, headersSetting}

// byProvider is what dedupe and event_type_from are unless they are set.
const byProvider = "provider"

// given is a setting as a request has it: nothing, null, or a value that the
// settings' own rules judge.
type given struct{ raw json.RawMessage }

// UnmarshalJSON keeps the text.
func (g *given) UnmarshalJSON(text []byte) error {
	g.raw = slices.Clone(text)
	return nil
}

// textSetting is a setting that is text.
type textSetting struct{ given }

// Schema documents the type.
func (textSetting) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, MaxLength: new(400)}
}

// namesSetting is a setting that is a list of names.
type namesSetting struct{ given }

// Schema documents the type.
func (namesSetting) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, MaxLength: new(128)}, MaxItems: new(50)}
}

// sourceOptions are settings by their names.
type sourceOptions map[string]json.RawMessage

// Schema documents the type.
func (sourceOptions) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[sourceOptionsJSON](), true, "")
}

// sourceSettings is the stored object.
type sourceSettings map[string]json.RawMessage

// settingsOf reads what is stored, which was checked when it was stored.
func settingsOf(stored json.RawMessage) sourceSettings {
	settings := sourceSettings{}
	_ = json.Unmarshal(stored, &settings) // what cannot be read shows as no settings
	return settings
}

func (s sourceSettings) show(view *sourceJSON) {
	view.Dedupe, view.EventTypeFrom, view.Options = byProvider, byProvider, sourceOptions{}
	for name, value := range s {
		switch name {
		case dedupeSetting:
			_ = json.Unmarshal(value, &view.Dedupe)
		case typeSetting:
			_ = json.Unmarshal(value, &view.EventTypeFrom)
		case headersSetting:
			_ = json.Unmarshal(value, &view.Headers)
		default:
			view.Options[name] = value
		}
	}
}

// apply makes the changes of a request. null takes a setting away.
func (s sourceSettings) apply(dedupe, eventType textSetting, headers namesSetting, options sourceOptions) error {
	for _, name := range outerSettings {
		if _, misplaced := options[name]; misplaced {
			return faultAs(InvalidSourceSettings, "options."+name, "stands beside options, not in them")
		}
	}
	s.set(dedupeSetting, dedupe.raw)
	s.set(typeSetting, eventType.raw)
	s.set(headersSetting, headers.raw)
	for name, value := range options {
		s.set(name, value)
	}
	return nil
}

func (s sourceSettings) set(name string, value json.RawMessage) {
	switch {
	case len(value) == 0:
	case string(value) == "null":
		delete(s, name)
	default:
		s[name] = value
	}
}

// checked is the object to be stored, if the settings' own rules allow it.
func (s sourceSettings) checked(rules SourceRules, provider string) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return nil, err
	}
	if text.Len() > maxSourceSettings {
		return nil, faultAs(InvalidSourceSettings, "options", "must have at most %d bytes, with all other settings", maxSourceSettings)
	}
	settings := json.RawMessage(bytes.TrimSpace(text.Bytes()))
	faults := rules.CheckSettings(provider, settings)
	if len(faults) == 0 {
		return settings, nil
	}
	sentences := make([]string, len(faults))
	for i := range faults {
		outer, _, _ := strings.Cut(faults[i].Field, ".")
		if !slices.Contains(outerSettings, outer) {
			faults[i].Field = "options." + faults[i].Field
		}
		sentences[i] = faults[i].Field + ": " + faults[i].Detail
	}
	refused := problem(InvalidSourceSettings, "%s.", strings.Join(sentences, "; "))
	refused.Errors = faults
	return nil, refused
}
