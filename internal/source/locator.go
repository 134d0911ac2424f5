package source

import (
	"errors"
	"strings"
)

// A Locator says where in a request to find an identifier or a type:
// header:Name, or json: and a path such as data.items.0.id. In a path, a number
// is an array's index where an array is, and \. is a dot in a name. The empty
// Locator finds nothing.
type Locator struct {
	header string
	path   []string
}

// maxPath bounds a path's steps.
const maxPath = 32

// ParseLocator reads a locator.
func ParseLocator(text string) (Locator, error) {
	if text == "" {
		return Locator{}, nil
	}
	if name, found := strings.CutPrefix(text, "header:"); found {
		if !isHeaderName(name) {
			return Locator{}, errors.New("header: must be followed by a header's name")
		}
		return Locator{header: name}, nil
	}
	path, found := strings.CutPrefix(text, "json:")
	if !found {
		return Locator{}, errors.New("write header:Name, or json: and a path such as json:data.id")
	}
	l := Locator{path: splitPath(path)}
	return l, l.validate()
}

func (l Locator) validate() error {
	if len(l.path) > maxPath {
		return errors.New("the path has more than 32 steps")
	}
	for _, step := range l.path {
		if step == "" {
			return errors.New("the path has an empty step")
		}
	}
	return nil
}

func splitPath(path string) []string {
	const dot = "\x00"
	steps := strings.Split(strings.ReplaceAll(path, `\.`, dot), ".")
	for i := range steps {
		steps[i] = strings.ReplaceAll(steps[i], dot, ".")
	}
	return steps
}

// String is what ParseLocator reads.
func (l Locator) String() string {
	switch {
	case l.header != "":
		return "header:" + l.header
	case len(l.path) == 0:
		return ""
	}
	steps := make([]string, len(l.path))
	for i, step := range l.path {
		steps[i] = strings.ReplaceAll(step, ".", `\.`)
	}
	return "json:" + strings.Join(steps, ".")
}

func (l Locator) isHeader() bool { return l.header != "" }

// Find gives the text there: a header's value if it is there once, a JSON
// string's content, a number as it is written. Empty when there is none, or when
// it is nothing that could name something: longer than 255 bytes, or with
// control characters.
func (l Locator) Find(request Request) string {
	if l.isHeader() {
		values := request.Header.Values(l.header)
		if len(values) != 1 {
			return ""
		}
		return tidy(values[0])
	}
	return l.In(request.Body)
}

// In looks a path up in a body, or in one item of a batch.
func (l Locator) In(body []byte) string {
	if len(l.path) == 0 {
		return ""
	}
	document, err := parse(body)
	if err != nil {
		return ""
	}
	return tidy(document.textAt(l.path...))
}
