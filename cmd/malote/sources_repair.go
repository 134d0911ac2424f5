package main

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/malotehq/malote/client"
)

type sourcesRepairCommand struct {
	sourceFlags
	Since  instant `help:"From what happened then on: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN" required:"" env:"-" own:""`
	Until  instant `help:"Up to what happened then, in the same forms; as late as something can be missed if left out." placeholder:"WHEN" env:"-" own:""`
	DryRun bool    `help:"Say what is missing, and bring nothing in." env:"-" own:""`
}

// Help implements kong.HelpProvider.
func (sourcesRepairCommand) Help() string {
	return `Compares what Stripe or GitHub lists as sent with what came in, and brings in the rest: Stripe's events out of the
list, GitHub's by asking it to deliver again. Nothing comes in twice. Malote does so by itself every few minutes; this is
for a span of your own, six and a half days back at most, and of GitHub 70 hours. It needs a secret with the role repair.

Examples:
  malote sources repair src_01h455vb4pex5vsknk084sn02q --since 48h --dry-run
  malote sources repair src_01h455vb4pex5vsknk084sn02q --since 2026-03-01T12:00:00Z --until 2026-03-02`
}

// gapReportView is what a repair came to.
type gapReportView struct {
	DryRun   bool `json:"dry_run"`
	Listed   int  `json:"listed"`
	Known    int  `json:"known"`
	Missing  int  `json:"missing"`
	Fed      int  `json:"fed"`
	Asked    int  `json:"asked"`
	Filtered int  `json:"filtered"`
	Refused  int  `json:"refused"`
	GivenUp  int  `json:"given_up"`
}

// Run implements the command.
func (f *sourcesRepairCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	body := map[string]any{"since": f.Since.rfc3339(), "dry_run": f.DryRun}
	if until := f.Until.rfc3339(); until != "" {
		body["until"] = until
	}
	report, got, err := fetch[gapReportView](c, client.Request{
		Method: http.MethodPost, Path: f.path("repair"), Body: encoded(body), Timeout: longWork,
	})
	switch {
	case err != nil:
		return err
	case f.JSON:
		return printAnswer(env.stdout, got)
	}
	report.print(newTable(env.stdout))
	return nil
}

func (r gapReportView) print(out *table) {
	defer out.flush()
	out.field("listed", strconv.Itoa(r.Listed)+" by the provider")
	out.field("known", strconv.Itoa(r.Known)+" had come in")
	missing := strconv.Itoa(r.Missing) + " had not"
	if r.DryRun && r.Missing > 0 {
		missing += "; without --dry-run they are brought in"
	}
	out.field("missing", missing)
	for _, part := range []struct {
		name, what string
		count      int
	}{
		{"fed", "were published from the list", r.Fed}, {"asked", "were asked for anew, and come in by the door", r.Asked},
		{"filtered", "were left out by the source's filter", r.Filtered}, {"refused", "cannot be brought in", r.Refused},
		{"given up", "did not come however often they were asked for", r.GivenUp},
	} {
		if part.count > 0 {
			out.field(part.name, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
}
