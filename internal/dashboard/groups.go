package dashboard

import (
	"github.com/malotehq/malote/internal/dashboard/deliveries"
	"github.com/malotehq/malote/internal/dashboard/dlq"
	"github.com/malotehq/malote/internal/dashboard/endpoints"
	"github.com/malotehq/malote/internal/dashboard/events"
	"github.com/malotehq/malote/internal/dashboard/overview"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/policies"
	"github.com/malotehq/malote/internal/dashboard/search"
	"github.com/malotehq/malote/internal/dashboard/settings"
	"github.com/malotehq/malote/internal/dashboard/sources"
)

// groups are all pages but the shell's own, in the order of the navigation.
func groups() []page.Group {
	return []page.Group{
		overview.Group(),
		deliveries.Group(),
		events.Group(),
		dlq.Group(),
		endpoints.Group(),
		sources.Group(),
		policies.Group(),
		search.Group(),
		settings.Group(),
	}
}

// Routes lists the patterns of all pages and actions of the groups, for those who
// try each of them.
func Routes() (patterns []string) {
	for _, group := range groups() {
		for _, route := range group.Routes {
			patterns = append(patterns, route.Pattern)
		}
	}
	return patterns
}
