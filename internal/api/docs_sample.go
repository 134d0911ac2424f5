package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsSample is an object as JSON, with all of its members and the examples
// that they have.
func docsSample(schemas huma.Registry, name string) string {
	var compact, broken bytes.Buffer
	writeSample(&compact, schemas, &huma.Schema{Ref: schemaPrefix + name})
	if err := json.Indent(&broken, compact.Bytes(), "", "  "); err != nil {
		panic(fmt.Sprintf("api: the sample of %s is not JSON: %v", name, err))
	}
	return broken.String()
}

func writeSample(b *bytes.Buffer, schemas huma.Registry, s *huma.Schema) {
	switch {
	case s.Ref != "":
		writeObject(b, schemas, s.Ref)
	case len(s.Examples) > 0:
		writeJSON(b, s.Examples[0])
	case s.Nullable:
		b.WriteString("null")
	case len(s.Enum) > 0:
		writeJSON(b, s.Enum[0])
	case s.Type == huma.TypeArray:
		b.WriteByte('[')
		writeSample(b, schemas, s.Items)
		b.WriteByte(']')
	default:
		b.WriteString(emptySamples[s.Type])
	}
}

var emptySamples = map[string]string{
	huma.TypeString: `""`, huma.TypeInteger: "0", huma.TypeNumber: "0", huma.TypeBoolean: "false", huma.TypeObject: "{}",
}

func writeObject(b *bytes.Buffer, schemas huma.Registry, ref string) {
	properties := schemas.SchemaFromRef(ref).Properties
	for i, name := range memberNames(schemas, ref) {
		b.WriteByte("{,"[min(i, 1)])
		writeJSON(b, name)
		b.WriteByte(':')
		writeSample(b, schemas, properties[name])
	}
	b.WriteByte('}')
}

func writeJSON(b *bytes.Buffer, value any) {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("api: an example cannot be encoded: %v", err))
	}
}

// memberNames are an object's members in the order of its type, which says more
// than the alphabet.
func memberNames(schemas huma.Registry, ref string) []string {
	var names []string
	for _, field := range reflect.VisibleFields(schemas.TypeFromRef(ref)) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
