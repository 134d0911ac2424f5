package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// reader keeps the first thing found wrong with a policy. Once there is one,
// what is read no longer matters.
type reader struct{ err *ParseError }

func (r *reader) refuse(at *token.Token, field, format string, arguments ...any) {
	if r.err == nil {
		line, column := position(at)
		r.err = &ParseError{Line: line, Column: column, Field: field, Reason: fmt.Sprintf(format, arguments...)}
	}
}

// entry is one "name: value" of a section, or one element of a list.
type entry struct {
	at    *token.Token // where a complaint about it points
	field string       // path
	node  ast.Node
}

// section is one mapping, whose fields are asked for by name.
type section struct {
	*reader
	at      *token.Token
	path    string
	entries map[string]entry
}

// section refuses fields that are not known before anything else, so that a
// misspelt name is not reported as one that is missing.
func (r *reader) section(path string, mapping *ast.MappingNode, at *token.Token, known ...string) *section {
	s := &section{reader: r, at: at, path: path, entries: map[string]entry{}}
	for _, value := range mapping.Values {
		key, isText := value.Key.(*ast.StringNode)
		if !isText {
			r.refuse(value.Key.GetToken(), path, "field names are plain words")
			continue
		}
		name := key.Value
		e := entry{at: key.Token, field: s.join(name), node: value.Value}
		if _, isScalar := scalar(value.Value); isScalar {
			e.at = value.Value.GetToken()
		}
		if _, twice := s.entries[name]; twice {
			r.refuse(key.Token, e.field, "is given twice")
		}
		if !slices.Contains(known, name) {
			r.refuse(key.Token, e.field, "is not a field; there are %s", strings.Join(known, ", "))
		}
		s.entries[name] = e
	}
	return s
}

func (s *section) join(name string) string {
	if s.path == "" {
		return name
	}
	return s.path + "." + name
}

func (s *section) has(name string) bool {
	_, given := s.entries[name]
	return given
}

// need refuses the section if the field is missing.
func (s *section) need(name string) {
	if !s.has(name) {
		s.refuse(s.at, s.join(name), "is missing")
	}
}

// forbid refuses fields that mean nothing here.
func (s *section) forbid(why string, names ...string) {
	for _, name := range names {
		if e, given := s.entries[name]; given {
			s.refuse(e.at, e.field, "means nothing %s", why)
		}
	}
}

// complain refuses the field's value, or the section where it is not given.
func (s *section) complain(name, format string, arguments ...any) {
	at := s.at
	if e, given := s.entries[name]; given {
		at = e.at
	}
	s.refuse(at, s.join(name), format, arguments...)
}

// sub is the section below the field, or nil if it is not given.
func (s *section) sub(name string, known ...string) *section {
	e, given := s.entries[name]
	if !given {
		return nil
	}
	return s.element(e, known...)
}

// list is the elements below the field; nil if it is not given.
func (s *section) list(name string) []entry {
	e, given := s.entries[name]
	if !given {
		return nil
	}
	sequence, ok := e.node.(*ast.SequenceNode)
	if !ok {
		s.refuse(e.at, e.field, "must be a list, such as [a, b]")
		return nil
	}
	elements := make([]entry, len(sequence.Values))
	for i, node := range sequence.Values {
		elements[i] = entry{at: start(node), field: fmt.Sprintf("%s[%d]", e.field, i), node: node}
	}
	return elements
}

// element is a list's element that is itself a section.
func (r *reader) element(e entry, known ...string) *section {
	mapping, ok := e.node.(*ast.MappingNode)
	if !ok {
		r.refuse(e.at, e.field, "must be a section with fields of its own")
		return nil
	}
	return r.section(e.field, mapping, e.at, known...)
}
