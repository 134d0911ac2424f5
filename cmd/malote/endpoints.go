package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

type endpointsCommands struct {
	List    endpointsListCommand    `cmd:"" help:"List endpoints."`
	Create  endpointsCreateCommand  `cmd:"" help:"Create an endpoint; shows its signing secret, this once."`
	Show    endpointsShowCommand    `cmd:"" help:"Show an endpoint and how it is doing."`
	Update  endpointsUpdateCommand  `cmd:"" help:"Change an endpoint."`
	Delete  endpointsDeleteCommand  `cmd:"" help:"Delete an endpoint; what is pending for it is dead."`
	Enable  endpointsEnableCommand  `cmd:"" help:"Enable an endpoint: its failures are forgotten, what is pending is sent."`
	Disable endpointsDisableCommand `cmd:"" help:"Disable an endpoint: new events are recorded as skipped."`
	Pause   endpointsPauseCommand   `cmd:"" help:"Pause an endpoint: events are collected, none is sent."`
	Resume  endpointsResumeCommand  `cmd:"" help:"Resume a paused endpoint."`
	Test    endpointsTestCommand    `cmd:"" help:"Send a test event now and say what came of it."`
	Discard endpointsDiscardCommand `cmd:"" help:"Discard what is pending for an endpoint."`
	Recover endpointsRecoverCommand `cmd:"" help:"Deliver again what an endpoint missed in a span of time."`
	Secrets secretsCommands         `cmd:"" help:"The signing secrets of an endpoint."`

	Recoveries endpointsRecoveriesCommand `cmd:"" help:"List an endpoint's recoveries, newest first."`
	Recovery   endpointsRecoveryCommand   `cmd:"" help:"Show a recovery, watch it, or cancel it."`
}

// Help implements kong.HelpProvider.
func (endpointsCommands) Help() string {
	return `Example:
  malote endpoints create https://hooks.acme.example/in --tenant acme`
}

const endpointsPath = "/v1/webhook_endpoints"

// endpointView is what is shown of an endpoint.
type endpointView struct {
	ID             string            `json:"id"`
	Tenant         string            `json:"tenant"`
	URL            string            `json:"url"`
	Policy         string            `json:"policy"`
	EventTypes     []string          `json:"event_types"`
	MaxInFlight    int               `json:"max_in_flight"`
	RateLimit      *float64          `json:"rate_limit"` // attempts a second; nil: no limit
	FIFO           bool              `json:"fifo"`
	Filter         string            `json:"filter"`
	Headers        map[string]string `json:"headers"`
	AtMostOnce     bool              `json:"at_most_once"`
	Description    string            `json:"description"`
	Metadata       map[string]string `json:"metadata"`
	Status         string            `json:"status"`
	DisabledReason *string           `json:"disabled_reason"`
	CreatedAt      *time.Time        `json:"created_at"`

	ConsecutiveFailures     int        `json:"consecutive_failures"`
	FirstFailureAt          *time.Time `json:"first_failure_at"`
	LastFailureAt           *time.Time `json:"last_failure_at"`
	LastSuccessAt           *time.Time `json:"last_success_at"`
	PausedUntil             *time.Time `json:"paused_until"`
	Pending                 *int       `json:"pending"`
	InFlight                *int       `json:"in_flight"`
	OldestPendingAgeSeconds *int64     `json:"oldest_pending_age_seconds"`

	ReplayedCount *int    `json:"replayed_count"`
	Secret        *string `json:"secret"`
}

type endpointsListCommand struct {
	apiFlags
	listFlags
	Tenant string `help:"Only this tenant's." placeholder:"TENANT"`
	Counts bool   `help:"Also count what is pending and in flight, which takes time where a lot is."`
}

// Help implements kong.HelpProvider.
func (endpointsListCommand) Help() string {
	return `Example:
  malote endpoints list --tenant acme --counts`
}

// Run implements the command.
func (f *endpointsListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	query := queryOf("tenant", f.Tenant)
	head := []string{"ENDPOINT", "TENANT", "STATUS", "FAILURES", "POLICY", "LAST SUCCESS", "URL"}
	if f.Counts {
		query.Set("counts", "true")
		head = slices.Insert(head, 4, "PENDING", "IN FLIGHT", "OLDEST")
	}
	return list[endpointView]{
		path: endpointsPath, query: query, what: "endpoints", head: head,
		row: func(e endpointView) []string {
			row := []string{e.ID, e.Tenant, e.Status, strconv.Itoa(e.ConsecutiveFailures), e.Policy, stamp(e.LastSuccessAt), e.URL}
			if f.Counts {
				row = slices.Insert(row, 4, orAbsent(e.Pending), orAbsent(e.InFlight), e.oldest())
			}
			return row
		},
	}.print(c, f.listFlags)
}

func (e endpointView) oldest() string {
	if e.OldestPendingAgeSeconds == nil {
		return absent
	}
	return brief(time.Duration(*e.OldestPendingAgeSeconds) * time.Second)
}

// endpointFlags are shared by the commands about one endpoint.
type endpointFlags struct {
	oneFlags
	ID string `arg:"" help:"The endpoint's id, whe_…."`
}

func (f *endpointFlags) path(parts ...string) string {
	return endpointsPath + client.Path(append([]string{f.ID}, parts...)...)
}

type endpointsShowCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsShowCommand) Help() string {
	return `Example:
  malote endpoints show whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsShowCommand) Run(env *environment) error {
	return f.showEndpoint(env, client.Request{Method: http.MethodGet, Path: f.path()})
}

// showEndpoint sends a request that answers with an endpoint.
func (f *oneFlags) showEndpoint(env *environment, req client.Request) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	endpoint, got, err := fetch[endpointView](c, req)
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	endpoint.print(newTable(env.stdout), time.Now())
	return nil
}

func (e endpointView) print(out *table, now time.Time) {
	defer out.flush()
	out.field("endpoint", e.ID)
	out.field("tenant", e.Tenant)
	out.field("url", e.URL)
	out.field("policy", e.Policy)
	out.field("types", orAll(e.EventTypes))
	out.field("max in flight", strconv.Itoa(e.MaxInFlight))
	if e.RateLimit != nil {
		out.field("rate limit", strconv.FormatFloat(*e.RateLimit, 'f', -1, 64)+" attempts a second")
	}
	if e.FIFO {
		out.field("order", "strict: one that fails holds the rest")
	}
	out.field("filter", e.Filter)
	if e.AtMostOnce {
		out.field("at most once", "yes: nothing is ever sent twice")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		out.field("header", name+": "+e.Headers[name])
	}
	out.field("description", e.Description)
	for _, name := range slices.Sorted(maps.Keys(e.Metadata)) {
		out.field("metadata", name+"="+e.Metadata[name])
	}
	out.field("created", moment(e.CreatedAt, now))
	e.printHealth(out, now)
	if e.ReplayedCount != nil {
		out.field("replayed", counted(*e.ReplayedCount, "dead delivery")+" went back into the queue")
	}
	out.field("secret", orAbsent(e.Secret))
}

func (e endpointView) printHealth(out *table, now time.Time) {
	status := e.Status
	if e.DisabledReason != nil {
		status += ": " + *e.DisabledReason
	}
	out.field("status", status)
	if e.PausedUntil != nil && e.PausedUntil.After(now) {
		out.field("paused until", moment(e.PausedUntil, now)+", because it keeps failing")
	}
	if e.ConsecutiveFailures > 0 {
		out.field("failures", fmt.Sprintf("%d in a row, since %s", e.ConsecutiveFailures, moment(e.FirstFailureAt, now)))
	}
	out.field("last failure", moment(e.LastFailureAt, now))
	out.field("last success", moment(e.LastSuccessAt, now))
	pending := orAbsent(e.Pending)
	if e.OldestPendingAgeSeconds != nil {
		pending += ", the oldest for " + e.oldest()
	}
	out.field("pending", pending)
	out.field("in flight", orAbsent(e.InFlight))
}

func orAll(types []string) string {
	if len(types) == 0 {
		return "all"
	}
	return strings.Join(types, " ")
}
