package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/malotehq/malote/internal/delivery"
)

// timestampLayout is RFC 3339 in UTC with milliseconds.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// timestamp is an instant in JSON and in query parameters. Zero means that
// there is none, and is shown as null.
type timestamp struct{ time.Time }

func (t timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"`+timestampLayout+`"`), nil
}

// UnmarshalText takes RFC 3339 with any offset and any number of digits.
func (t *timestamp) UnmarshalText(text []byte) error {
	at, err := parseInstant(string(text))
	t.Time = at
	return err
}

// UnmarshalJSON takes null for "none".
func (t *timestamp) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return t.UnmarshalText([]byte(strings.Trim(string(text), `"`)))
}

// Schema documents the type.
func (timestamp) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Format: "date-time", Nullable: true,
		Examples: []any{"2026-03-01T12:00:00.000Z"},
	}
}

// earliest and latest bound what is taken for an instant: beyond them there
// are no event ids, and databases and other languages begin to disagree.
var (
	earliest = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

func parseInstant(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("must be an instant such as 2026-03-01T12:00:00Z (RFC 3339)")
	}
	if at.Before(earliest) || at.After(latest) {
		return time.Time{}, fmt.Errorf("must lie between the years 1970 and 9999")
	}
	return at.UTC(), nil
}

// span is a duration as text, such as "30s", "2m" or "72h".
type span time.Duration

func (d span) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String leaves out what is zero: 72h, not 72h0m0s.
func (d span) String() string {
	shown := time.Duration(d).String()
	if cut, found := strings.CutSuffix(shown, "m0s"); found {
		shown = cut + "m"
	}
	if cut, found := strings.CutSuffix(shown, "h0m"); found {
		shown = cut + "h"
	}
	return shown
}

func (d *span) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("must be a duration such as 30s, 2m or 72h")
	}
	*d = span(parsed)
	return nil
}

// Schema documents the type.
func (span) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: spanPattern, PatternDescription: "a duration such as 30s, 2m or 72h",
		Examples: []any{"72h"},
	}
}

const spanPattern = `^([0-9]{1,9}(\.[0-9]{1,9})?(ns|us|µs|ms|s|m|h)){1,8}$|^0$`

// idIn reads an id that a query parameter or a member holds.
func idIn(field string, prefix delivery.Prefix, shown string) (delivery.ID, error) {
	id, err := delivery.ParseID(prefix, shown)
	if err != nil {
		return delivery.ID{}, fault(field, "must be an id of the form %s_ and 26 characters", prefix)
	}
	return id, nil
}

// idAt reads the id in a path. Whatever cannot be an id of anything is not found.
func idAt(prefix delivery.Prefix, shown string) (delivery.ID, error) {
	id, err := delivery.ParseID(prefix, shown)
	if err != nil {
		return delivery.ID{}, problem(NotFound, "There is nothing with this id: ids here have the form %s_ and 26 characters.", prefix)
	}
	return id, nil
}

// optional is nil, and so null, for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// optionalID shows an id, or null if there is none.
func optionalID(prefix delivery.Prefix, id delivery.ID) *string {
	if id.IsZero() {
		return nil
	}
	shown := id.Format(prefix)
	return &shown
}
