package contractpage

import (
	"fmt"
	"slices"
	"strings"
)

// message is a text with placeholders, as the files under text/ have it:
//
//	`code`  **strong**  {name}  {name|singular|plural}
//
// Within code nothing else is special.
type message []piece

// piece is a span, or the placeholder of a name: its value or, with forms, the
// form that goes with the value's count.
type piece struct {
	span  span
	name  string
	forms []string
}

func parseMessage(text string) (message, error) {
	var m message
	for text != "" {
		at := strings.IndexAny(text, "`*{")
		if at < 0 {
			return append(m, piece{span: span{plain, text}}), nil
		}
		if at > 0 {
			m = append(m, piece{span: span{plain, text[:at]}})
		}
		open, end := text[at:at+1], "}"
		switch open {
		case "`":
			end = "`"
		case "*":
			open, end = "**", "**"
		}
		inside, found := strings.CutPrefix(text[at:], open)
		inside, rest, closed := strings.Cut(inside, end)
		if !found || !closed || inside == "" {
			return nil, fmt.Errorf("%q is opened and not closed, or empty", open)
		}
		m, text = append(m, marked(open, inside)), rest
	}
	return m, nil
}

func marked(open, inside string) piece {
	switch open {
	case "`":
		return piece{span: span{code, inside}}
	case "**":
		return piece{span: span{strong, inside}}
	}
	parts := strings.Split(inside, "|")
	return piece{name: parts[0], forms: parts[1:]}
}

// fill puts the values in.
func (m message) fill(one func(float64) bool, given args) (phrase, error) {
	var filled phrase
	for _, piece := range m {
		if piece.name == "" {
			filled = append(filled, piece.span)
			continue
		}
		v, known := given[piece.name]
		switch {
		case !known:
			return nil, fmt.Errorf("nothing is given for {%s}", piece.name)
		case len(piece.forms) == 0:
			filled = append(filled, v.phrase...)
		case one(v.count):
			filled = append(filled, span{plain, piece.forms[0]})
		default:
			filled = append(filled, span{plain, piece.forms[len(piece.forms)-1]})
		}
	}
	return filled, nil
}

// names lists the values that the message shows, each once, in order.
func (m message) names() []string {
	var names []string
	for _, piece := range m {
		if piece.name != "" && len(piece.forms) == 0 {
			names = append(names, piece.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
