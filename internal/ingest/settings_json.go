package ingest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fault is one wrong setting. Problem completes a sentence that begins with the
// field's name.
type Fault struct{ Field, Problem string }

// SettingsError names all that is wrong with settings, in the order of the fields'
// names.
type SettingsError struct{ Faults []Fault }

func (e *SettingsError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		texts[i] = fmt.Sprintf("%s %s", fault.Field, fault.Problem)
	}
	return strings.Join(texts, "; ")
}

// settingsReader reads JSON and gathers what is wrong with it.
type settingsReader struct{ faults []Fault }

// member takes the value of one member of an object.
type member func(field string, value json.RawMessage)

func (r *settingsReader) complain(field, format string, arguments ...any) {
	r.faults = append(r.faults, Fault{field, fmt.Sprintf(format, arguments...)})
}

// object hands every member to its reader, in the order of names. null is as if
// the member were not there.
func (r *settingsReader) object(field string, raw json.RawMessage, members map[string]member) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		r.complain(orRoot(field), "must be a JSON object")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		read, known := members[name]
		full := strings.TrimPrefix(field+"."+name, ".")
		switch {
		case !known:
			r.complain(full, "is not a setting: there are %s", strings.Join(slices.Sorted(maps.Keys(members)), ", "))
		case string(given[name]) != "null":
			read(full, given[name])
		}
	}
}

func orRoot(field string) string {
	if field == "" {
		return "settings"
	}
	return field
}

// as reads a value of one kind.
func as[T any](r *settingsReader, kind string, take func(T)) member {
	return func(field string, raw json.RawMessage) {
		var value T
		if err := json.Unmarshal(raw, &value); err != nil {
			r.complain(field, "must be %s", kind)
			return
		}
		take(value)
	}
}

func text(r *settingsReader, take func(string)) member    { return as(r, "a string", take) }
func number(r *settingsReader, take func(float64)) member { return as(r, "a number", take) }
func list(r *settingsReader, take func(given []string)) member {
	return as(r, "a list of strings", take)
}

// whole is a number without a fraction, within bounds.
func (r *settingsReader) whole(field string, given float64, least, most int) int {
	if given != float64(int64(given)) || given < float64(least) || given > float64(most) {
		r.complain(field, "must be a whole number from %d to %d", least, most)
		return least
	}
	return int(given)
}
