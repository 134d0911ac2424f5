package main

import (
	"strconv"
	"time"

	"github.com/malotehq/malote/client"
)

type sourcesRejectionsCommand struct {
	apiFlags
	listFlags
	ID     string  `arg:"" optional:"" help:"The source's id, src_…; all sources if left out."`
	Tenant string  `help:"Only this tenant's." placeholder:"TENANT"`
	Since  instant `help:"That went on then or later: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN"`
}

// Help implements kong.HelpProvider.
func (sourcesRejectionsCommand) Help() string {
	return `Newest first, without any body; a row stands for as many requests as it counts. malote verify finds out more about
a request that you have.

Example:
  malote sources rejections src_01h455vb4pex5vsknk084sn02q --since 24h`
}

// rejectionView is what is shown of a rejection.
type rejectionView struct {
	SourceID    string     `json:"source_id"`
	Reason      string     `json:"reason"`
	Explanation string     `json:"explanation"`
	Detail      *string    `json:"detail"`
	Count       int64      `json:"count"`
	LastAt      *time.Time `json:"last_at"`
}

func (r rejectionView) why() string {
	if r.Detail == nil {
		return r.Explanation
	}
	return r.Explanation + " (" + *r.Detail + ")"
}

// Run implements the command.
func (f *sourcesRejectionsCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	path := "/v1/rejections"
	if f.ID != "" {
		if f.Tenant != "" {
			return &usageError{"a source has one tenant: leave --tenant out"}
		}
		path = sourcesPath + client.Path(f.ID, "rejections")
	}
	return list[rejectionView]{
		path: path, query: queryOf("tenant", f.Tenant, "since", f.Since.rfc3339()), what: "rejections",
		head: []string{"LAST", "COUNT", "SOURCE", "REASON", "WHICH MEANS"},
		row: func(r rejectionView) []string {
			return []string{stamp(r.LastAt), strconv.FormatInt(r.Count, 10), r.SourceID, r.Reason, r.why()}
		},
	}.print(c, f.listFlags)
}
