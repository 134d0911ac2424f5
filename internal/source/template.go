package source

import (
	"errors"
	"fmt"
	"strings"
)

// A template's parts are text, and names between braces.
type templatePart struct {
	text string
	name string // body, timestamp, method, url, id or header:Name; empty for text
}

// splitTemplate reads a template. A brace that opens must close around a name
// that is known.
func splitTemplate(template string) ([]templatePart, error) {
	var parts []templatePart
	for template != "" {
		before, rest, found := strings.Cut(template, "{")
		if before != "" {
			parts = append(parts, templatePart{text: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		header, isHeader := strings.CutPrefix(name, "header:")
		switch {
		case !closed:
			return nil, errors.New("a { is not closed")
		case isHeader && isHeaderName(header):
		case name == "body", name == "timestamp", name == "method", name == "url", name == "id":
		default:
			return nil, fmt.Errorf("{%s} is not known: use {body}, {timestamp}, {method}, {url}, {id} or {header:Name}", name)
		}
		parts = append(parts, templatePart{name: name})
		template = after
	}
	return parts, nil
}

func has(parts []templatePart, name string) bool {
	for _, p := range parts {
		if p.name == name {
			return true
		}
	}
	return false
}

// fill makes the content of the rule's template. What the request must bring
// for it and does not is missing.
func (c *call) fill(rule *Generic, clock string) (content, *refusal) {
	parts, err := splitTemplate(rule.template())
	if err != nil {
		return nil, malformed(NotConfigured, err.Error())
	}
	filled := make([][]byte, len(parts))
	for i, p := range parts {
		text := p.text
		switch p.name {
		case "timestamp":
			text = clock
		case "method":
			text = c.Method
		case "url":
			text = c.URL
		case "id":
			if text = rule.ID.Find(c.Request); text == "" {
				return nil, missing(rule.ID.String())
			}
		}
		if name, found := strings.CutPrefix(p.name, "header:"); found {
			val, refused := c.header(name)
			if refused != nil {
				return nil, refused
			}
			text = val
		}
		filled[i] = []byte(text)
	}
	return func(body []byte) [][]byte {
		whole := make([][]byte, len(filled))
		for i, p := range parts {
			whole[i] = filled[i]
			if p.name == "body" {
				whole[i] = body
			}
		}
		return whole
	}, nil
}

func (g *Generic) template() string { return orElse(g.Content, "{body}") }
