package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsField is a parameter or a member.
type docsField struct {
	Name        string
	Place       string // of a parameter: path, query or header
	Type        docsType
	Required    bool
	Description string
	Limits      string
}

// docsType is a type in words, and the object to read on at.
type docsType struct {
	Text   string
	Object string // "": none
}

const schemaPrefix = "#/components/schemas/"

func docsTypeOf(s *huma.Schema) docsType {
	if name, isObject := strings.CutPrefix(s.Ref, schemaPrefix); isObject {
		return docsType{Text: name, Object: name}
	}
	shown := docsType{}
	switch s.Type {
	case huma.TypeArray:
		item := docsTypeOf(s.Items)
		shown = docsType{Text: "list of " + item.Text, Object: item.Object}
	case huma.TypeObject:
		shown.Text = "object"
		if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
			shown.Text = "map of names to " + docsTypeOf(values).Text
		}
	case "":
		shown.Text = "any JSON value"
	default:
		shown.Text = s.Type
		if s.Format == "date-time" {
			shown.Text = "instant"
		}
	}
	if s.Nullable {
		shown.Text += " or null"
	}
	return shown
}

func docsFields(s *huma.Schema) []docsField {
	fields := make([]docsField, 0, len(s.Properties))
	for name, property := range s.Properties {
		fields = append(fields, docsField{
			Name: name, Type: docsTypeOf(property), Required: slices.Contains(s.Required, name),
			Description: property.Description, Limits: docsLimits(property),
		})
	}
	slices.SortFunc(fields, func(a, b docsField) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return fields
}

// docsLimits says in words what a value must keep to.
func docsLimits(s *huma.Schema) string {
	var limits []string
	add := func(format string, value any) { limits = append(limits, fmt.Sprintf(format, value)) }
	if s.Minimum != nil {
		add("at least %v", *s.Minimum)
	}
	if s.Maximum != nil {
		add("at most %v", *s.Maximum)
	}
	if s.MaxLength != nil {
		add("at most %d characters", *s.MaxLength)
	}
	if s.MinItems != nil {
		add("at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil {
		add("at most %d items", *s.MaxItems)
	}
	if len(s.Enum) > 0 {
		add("one of %s", strings.Join(docsWords(s.Enum), ", "))
	}
	if s.Default != nil {
		add("default %v", s.Default)
	}
	return strings.Join(limits, "; ")
}

func docsWords(values []any) []string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(value)
	}
	return words
}
