package source

import "errors"

// field is the text of a member that verification goes by.
func field(v value, path ...string) (string, *refusal) {
	at, refused := node(v, path...)
	if refused != nil {
		return "", refused
	}
	text, ok := at.text()
	if !ok {
		return "", malformed(BodyMalformed, last(path)+" is no text")
	}
	return text, nil
}

// node is a member that verification goes by: it must be there, once.
func node(v value, path ...string) (value, *refusal) {
	at, err := v.at(path...)
	switch {
	case errors.Is(err, errAbsent):
		return value{}, refuse(MissingHeader, FieldMissing, last(path))
	case errors.Is(err, errTwice):
		return value{}, malformed(BodyAmbiguous, last(path))
	case err != nil:
		return value{}, malformed(BodyMalformed, last(path)+": "+err.Error())
	}
	return at, nil
}

// optional is field, and empty for what is not there or null.
func optional(v value, path ...string) (string, *refusal) {
	at, refused := node(v, path...)
	switch {
	case refused != nil && refused.reason == FieldMissing || refused == nil && at.is('n'):
		return "", nil
	case refused != nil:
		return "", refused
	}
	return field(v, path...)
}

// list is a batch's elements: at least one.
func list(v value, path ...string) ([]value, *refusal) {
	at, refused := node(v, path...)
	if refused != nil && refused.reason == FieldMissing {
		return nil, malformed(BodyMalformed, last(path)+" is not there")
	}
	if refused != nil {
		return nil, refused
	}
	elements, err := at.elements()
	switch {
	case err != nil:
		return nil, malformed(BodyMalformed, last(path)+": "+err.Error())
	case len(elements) == 0:
		return nil, malformed(BodyMalformed, last(path)+" is empty")
	}
	return elements, nil
}

func last(path []string) string {
	if len(path) == 0 {
		return "the body"
	}
	return path[len(path)-1]
}
