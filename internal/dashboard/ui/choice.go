package ui

import "github.com/a-h/templ"

// described are the attributes that tie an input to what is said below it.
func (in Input) described() templ.Attributes {
	described := templ.Attributes{}
	for name, value := range in.attributes() {
		if name == "aria-describedby" || name == "aria-invalid" {
			described[name] = value
		}
	}
	return described
}

// share is a part in hundredths, never all of the whole before it is whole.
func share(part, whole int) int {
	if whole <= 0 || part >= whole {
		return 100
	}
	return max(0, part) * 100 / whole
}
