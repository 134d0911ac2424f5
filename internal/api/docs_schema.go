package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsField is a parameter or a member.
type docsField struct {
	Name        string
	Type        docsType
	Mark        string // what is special about it: "required"
	Description docsText
	Limits      string
}

// docsType is a type in words; in their middle may be an object to read on at.
type docsType struct{ Before, Object, After string }

const schemaPrefix = "#/components/schemas/"

// docsTypes tells types by the document's schemas.
type docsTypes struct{ schemas huma.Registry }

func (t docsTypes) of(s *huma.Schema) docsType {
	if row := t.rowOf(s.Ref); row != nil {
		shown := t.of(row)
		shown.Before = "a page of " + shown.Before
		return shown
	}
	if name, isObject := strings.CutPrefix(s.Ref, schemaPrefix); isObject {
		return docsType{Object: name}
	}
	shown := t.ofValue(s)
	if s.Nullable {
		shown.After += " or null"
	}
	return shown
}

func (t docsTypes) ofValue(s *huma.Schema) docsType {
	switch s.Type {
	case huma.TypeArray:
		return t.many("list of ", s.Items)
	case huma.TypeObject:
		if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
			return t.many("map of names to ", values)
		}
		return docsType{Before: "object"}
	case "":
		return docsType{Before: "any JSON value"}
	}
	switch s.Format {
	case "date-time":
		return docsType{Before: "time"}
	case "binary":
		return docsType{Before: "bytes"}
	default:
		return docsType{Before: s.Type}
	}
}

func (t docsTypes) many(before string, s *huma.Schema) docsType {
	shown := t.of(s)
	if shown.Object == "" {
		shown.After += "s"
	}
	shown.Before = before + shown.Before
	return shown
}

// rowOf is what a page of a list holds; nil: the object is no such page.
func (t docsTypes) rowOf(ref string) *huma.Schema {
	if ref == "" {
		return nil
	}
	properties := t.schemas.SchemaFromRef(ref).Properties
	data, next := properties["data"], properties["next_cursor"]
	if len(properties) != 2 || data == nil || next == nil {
		return nil
	}
	return data.Items
}

// members are an object's, of which a request or an answer marks others.
func (t docsTypes) members(name string, isRequest bool) []docsField {
	schema := t.schemas.SchemaFromRef(schemaPrefix + name)
	var fields []docsField
	for _, name := range memberNames(t.schemas, schemaPrefix+name) {
		field := t.field(name, schema.Properties[name])
		switch required := slices.Contains(schema.Required, name); {
		case isRequest && required:
			field.Mark = "required"
		case !isRequest && !required:
			field.Mark = "not always there"
		}
		fields = append(fields, field)
	}
	return fields
}

func (t docsTypes) field(name string, s *huma.Schema) docsField {
	return docsField{Name: name, Type: t.of(s), Description: docsTextOf(s.Description), Limits: docsLimits(s)}
}

// docsLimits says in words what a value must keep to.
func docsLimits(s *huma.Schema) string {
	var limits []string
	add := func(format string, values ...any) { limits = append(limits, fmt.Sprintf(format, values...)) }
	value, each := s, ""
	if s.Type == huma.TypeArray {
		value, each = s.Items, "each "
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		add("%s to %s", grouped(int(*s.Minimum)), grouped(int(*s.Maximum)))
	case s.Minimum != nil:
		add("at least %s", grouped(int(*s.Minimum)))
	case s.Maximum != nil:
		add("at most %s", grouped(int(*s.Maximum)))
	}
	switch {
	case s.MinItems != nil && s.MaxItems != nil:
		add("%s to %s items", grouped(*s.MinItems), grouped(*s.MaxItems))
	case s.MaxItems != nil:
		add("at most %s items", grouped(*s.MaxItems))
	}
	if s.UniqueItems {
		add("nothing twice")
	}
	if value.MaxLength != nil {
		add("%sat most %s characters", each, grouped(*value.MaxLength))
	}
	if value.PatternDescription != "" {
		add("%s", value.PatternDescription)
	}
	if len(value.Enum) > 0 && len(value.Enum) <= maxShownEnum {
		add("one of %s", docsWords(value.Enum))
	}
	if s.Default != nil {
		add("default %v", s.Default)
	}
	return strings.Join(limits, "; ")
}

// maxShownEnum keeps the codes of problems to their own table.
const maxShownEnum = 12

func docsWords(values []any) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(value)
	}
	return strings.Join(words, ", ")
}
