package sources

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// request is what the API is asked, member by member.
type request map[string]any

// fill puts the form's values into a request, each at its path. What is empty is
// left out.
func (q request) fill(fields []field, value func(name string) string) []page.Fault {
	var faults []page.Fault
	for _, f := range fields {
		text := strings.TrimSpace(value(f.name))
		if text == "" {
			continue
		}
		decoded, ok := f.decode(text)
		if !ok {
			faults = append(faults, page.Fault{Field: f.name, Detail: text})
			continue
		}
		q.put(strings.Split(f.name, "."), decoded)
	}
	return faults
}

func (q request) put(path []string, value any) {
	at := map[string]any(q)
	for _, member := range path[:len(path)-1] {
		inner, ok := at[member].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[member] = inner
		}
		at = inner
	}
	at[path[len(path)-1]] = value
}

// reset asks for the default of every setting that the form has and that is empty:
// a setting of several members counts as a whole.
func (q request) reset(fields []field) {
	for _, f := range fields {
		path := strings.Split(f.name, ".")
		if path[0] == "options" {
			path = path[:2]
		}
		if !q.has(path) {
			q.put(path, nil)
		}
	}
}

func (q request) has(path []string) bool {
	at := map[string]any(q)
	for _, member := range path[:len(path)-1] {
		inner, ok := at[member].(map[string]any)
		if !ok {
			return false
		}
		at = inner
	}
	_, has := at[path[len(path)-1]]
	return has
}

// decode is a field's text as the API wants it; ok is false for what is no number.
func (f field) decode(text string) (_ any, ok bool) {
	switch f.kind {
	case number:
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	case decimal:
		x, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		return x, err == nil
	case words:
		return strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' || c == ',' || c == ' ' }), true
	default:
		return strings.ReplaceAll(text, "\r\n", "\n"), true
	}
}

func fieldsOf(groups []group) []field {
	var all []field
	for _, g := range groups {
		all = append(all, g.fields...)
	}
	return all
}

// valuesOf are the settings of a source as its form has them, by field.
func valuesOf(s records.Source, groups []group) map[string]string {
	values := map[string]string{"name": s.Name, "description": s.Description, "dedupe": s.Dedupe, "event_type_from": s.TypeFrom}
	if s.Headers != nil {
		values["forward_headers"] = strings.Join(*s.Headers, "\n")
	}
	for _, f := range fieldsOf(groups) {
		if path, isOption := strings.CutPrefix(f.name, "options."); isOption {
			values[f.name] = shownAt(s.Options, strings.Split(path, "."))
		}
	}
	return values
}

// shownAt is the value at a path of options, as a form has it.
func shownAt(options map[string]json.RawMessage, path []string) string {
	raw := options[path[0]]
	for _, member := range path[1:] {
		var inner map[string]json.RawMessage
		if json.Unmarshal(raw, &inner) != nil {
			return ""
		}
		raw = inner[member]
	}
	var text string
	var list []string
	switch {
	case len(raw) == 0:
		return ""
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, "\n")
	default:
		return string(raw) // a number, as it is written
	}
}

// posted are a form's own values, for showing it again.
func posted(r *page.Request) map[string]string {
	values := map[string]string{}
	for _, name := range slices.Collect(maps.Keys(r.PostForm)) {
		values[name] = r.Field(name)
	}
	delete(values, "secret") // it is typed again
	return values
}

// noNumbers is the refusal of a form that has text where numbers belong.
func noNumbers(r *page.Request, faults []page.Fault) *page.Problem {
	if len(faults) == 0 {
		return nil
	}
	for i := range faults {
		faults[i].Detail = notANumber.In(r.Context(), faults[i].Detail)
	}
	return &page.Problem{Status: http.StatusUnprocessableEntity, Detail: checkFields.In(r.Context()), Errors: faults}
}
