package dashboard

import (
	"github.com/malotehq/malote/internal/dashboard/deliveries"
	"github.com/malotehq/malote/internal/dashboard/page"
)

// groups are all pages but the shell's own, in the order of the navigation.
func groups() []page.Group {
	return []page.Group{
		deliveries.Group(),
	}
}
