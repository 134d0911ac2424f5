package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// GapProgress is how far a provider's own list has been compared with what came
// in by a source.
type GapProgress struct {
	CheckedAt time.Time // everything before it was compared; zero: nothing yet
	Found     int64     // events that had not come in, over all time
	FailedAt  time.Time // of the last step; zero: it succeeded
	LastError string    // why it failed, for people
}

// GapReport counts what a repair did.
type GapReport struct {
	Listed, Known, Missing, Filtered, Fed, Asked, Refused, GivenUp int
}

// GapRefusal says why the gaps of a source cannot be repaired as asked, in a
// sentence for people. Field is the part of the request that is wrong; "": it is
// the source.
type GapRefusal struct{ Field, Text string }

func (e *GapRefusal) Error() string { return e.Text }

// GapFailure says that the provider's API did not do what it was asked.
type GapFailure struct {
	Text string        // a sentence for people, without anything that the provider wrote
	Wait time.Duration // for how long it asked to be left alone
}

func (e *GapFailure) Error() string { return e.Text }

type gapProgressJSON struct {
	CheckedUntil timestamp `json:"checked_until" doc:"Everything that happened before was compared, and has come in; null: nothing was yet."`
	Found        int64     `json:"found" example:"2" doc:"How many events had not come in, over all time."`
	FailedAt     timestamp `json:"failed_at" doc:"When the last comparison failed; null: it succeeded."`
	Error        *string   `json:"error" doc:"Why."`
}

func showGapProgress(p GapProgress) *gapProgressJSON {
	if p == (GapProgress{}) {
		return nil
	}
	return &gapProgressJSON{
		CheckedUntil: timestamp{p.CheckedAt}, Found: p.Found, FailedAt: timestamp{p.FailedAt}, Error: optional(p.LastError),
	}
}

type gapRepairRequestJSON struct {
	Since  timestamp `json:"since" nullable:"false" doc:"From what happened then on; at most six and a half days back, and of GitHub 70 hours."`
	Until  timestamp `json:"until,omitzero" doc:"Up to what happened then. Left out: as late as something can be missed."`
	DryRun bool      `json:"dry_run,omitempty" doc:"Only count what is missing."`
}

type gapReportJSON struct {
	DryRun   bool `json:"dry_run"`
	Listed   int  `json:"listed" example:"120" doc:"How many events the provider lists."`
	Known    int  `json:"known" example:"118" doc:"How many of them had come in."`
	Missing  int  `json:"missing" example:"2" doc:"How many had not."`
	Fed      int  `json:"fed" example:"2" doc:"Of those: published from the list."`
	Asked    int  `json:"asked" doc:"Asked for anew; they come in by the source's address."`
	Filtered int  `json:"filtered" doc:"Left out by the source's filter."`
	Refused  int  `json:"refused" doc:"Cannot be published, or the provider will not send them again."`
	GivenUp  int  `json:"given_up" doc:"Did not come however often they were asked for."`
}

type repairGapsInput struct {
	ID   string `path:"id" doc:"The source's id."`
	Body gapRepairRequestJSON
}

type gapReportAnswer struct{ Body gapReportJSON }

func (s *server) registerGapRepairs(r *routes) {
	handle(r, route{
		id: "repair-source-gaps", method: http.MethodPost, path: "/v1/sources/{id}/repair", tag: tagSources, need: mayManage,
		timeout: longWork, summary: "Bring in what never came",
		description: "Compares what the provider lists as sent in a span of time with what came in, and brings in the rest, through the same dedupe: " +
			"nothing comes in twice. Malote does so by itself every few minutes; this is for a span of your own. " +
			"For Stripe and GitHub, with a secret that has the role `repair`.",
		sample: `{"since": "2026-03-01T12:00:00Z", "dry_run": true}`, codes: []Code{SourceNotRepairable, ProviderFailed},
	}, s.repairGaps)
}

func (s *server) repairGaps(ctx context.Context, input *repairGapsInput) (*gapReportAnswer, error) {
	id, found, err := s.sourceAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	ask := input.Body
	if !ask.Until.IsZero() && !ask.Since.Before(ask.Until.Time) {
		return nil, fault("until", "must be later than since")
	}
	report, err := s.GapRepairs.RepairGaps(ctx, id, ask.Since.Time, ask.Until.Time, ask.DryRun)
	if err != nil {
		return nil, problemOfGaps(err, report)
	}
	changedIf(ctx, !ask.DryRun, subjectOfSource(found.Tenant, id, fmt.Sprintf("fed: %d, asked: %d", report.Fed, report.Asked)))
	return &gapReportAnswer{showGapReport(report, ask.DryRun)}, nil
}

func showGapReport(r GapReport, dryRun bool) gapReportJSON {
	return gapReportJSON{
		DryRun: dryRun, Listed: r.Listed, Known: r.Known, Missing: r.Missing, Fed: r.Fed, Asked: r.Asked,
		Filtered: r.Filtered, Refused: r.Refused, GivenUp: r.GivenUp,
	}
}

// problemOfGaps tells also what was done until then: the same call may be made
// again.
func problemOfGaps(err error, done GapReport) error {
	if refused, ok := errors.AsType[*GapRefusal](err); ok {
		if refused.Field != "" {
			return fault(refused.Field, "%s", refused.Text)
		}
		return problem(SourceNotRepairable, "%s", refused.Text)
	}
	failed, ok := errors.AsType[*GapFailure](err)
	if !ok {
		return err
	}
	text := failed.Text + "."
	if brought := done.Fed + done.Asked; brought > 0 {
		text += fmt.Sprintf(" Until then %d of %d missing were brought in; repeat the request for the rest.", brought, done.Missing)
	}
	p := problem(ProviderFailed, "%s", text)
	if failed.Wait > 0 {
		p.setHeader("Retry-After", strconv.Itoa(int((failed.Wait+time.Second-1)/time.Second)))
	}
	return p
}
