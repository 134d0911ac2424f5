package dashboard

import "slices"

// Patterns are those of all routes, as net/http's mux knows them, sorted: tests
// of all pages ask for them, so that none is forgotten.
func Patterns() []string {
	d := &dashboard{}
	var patterns []string
	for _, group := range append(groups(), d.own()) {
		for _, route := range group.Routes {
			patterns = append(patterns, route.Pattern)
		}
	}
	for pattern := range d.openRoutes() {
		patterns = append(patterns, pattern)
	}
	slices.Sort(patterns)
	return patterns
}
