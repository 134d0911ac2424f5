package publish

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func filtered(policyName string, status delivery.EndpointStatus, filter string, types ...string) *delivery.Endpoint {
	e := endpoint(policyName, status, types...)
	e.Filter = filter
	return e
}

// The event is an invoice.paid of 10.
func TestDracma_D07_WhatFiltersLeaveOut(t *testing.T) {
	t.Parallel()
	const takes, refuses, undecided, unreadable = "data.total > 5", "data.total > 50", "data.totl > 50", "data.total >"
	type endpoints = []*delivery.Endpoint
	for name, test := range map[string]struct {
		endpoints endpoints
		want      []delivery.Reason // of each delivery; "": pending
		nobody    bool              // the one delivery is no endpoint's
	}{
		"takes it":                     {endpoints{filtered("dracma", delivery.Active, takes)}, []delivery.Reason{""}, false},
		"refuses it, recorded":         {endpoints{filtered("dracma", delivery.Active, refuses)}, []delivery.Reason{delivery.Filtered}, false},
		"refuses it, nobody":           {endpoints{filtered("standard", delivery.Active, refuses)}, []delivery.Reason{delivery.Filtered}, true},
		"cannot judge it":              {endpoints{filtered("standard", delivery.Active, undecided)}, []delivery.Reason{""}, false},
		"cannot be read":               {endpoints{filtered("standard", delivery.Active, unreadable)}, []delivery.Reason{""}, false},
		"another type, nobody":         {endpoints{filtered("standard", delivery.Active, refuses, "x")}, []delivery.Reason{delivery.TypeNotSubscribed}, true},
		"another type, recorded":       {endpoints{filtered("dracma", delivery.Active, refuses, "x")}, []delivery.Reason{delivery.TypeNotSubscribed}, false},
		"disabled, would take it":      {endpoints{filtered("standard", delivery.DisabledByUser, takes)}, []delivery.Reason{delivery.EndpointDisabled}, false},
		"disabled, would refuse it":    {endpoints{filtered("dracma", delivery.DisabledByUser, refuses)}, []delivery.Reason{delivery.Filtered}, false},
		"disabled, cannot judge it":    {endpoints{filtered("standard", delivery.DisabledByUser, undecided)}, []delivery.Reason{delivery.EndpointDisabled}, false},
		"nobody, who came the closest": {endpoints{endpoint("standard", delivery.Active, "x"), filtered("standard", delivery.Active, refuses)}, []delivery.Reason{delivery.Filtered}, true},
		"one takes it, one refuses it": {endpoints{filtered("standard", delivery.Active, takes), filtered("standard", delivery.Active, refuses)}, []delivery.Reason{""}, false},
	} {
		plan, err := standing.Plan(draftOf(t, `{"total":10}`), test.endpoints)
		require.NoError(t, err, name)
		var reasons []delivery.Reason
		for _, planned := range plan.Deliveries {
			reasons = append(reasons, planned.Reason)
			require.Equal(t, planned.Reason == "", planned.State == delivery.Pending, name)
			require.Equal(t, test.nobody, planned.EndpointID.IsZero(), name)
		}
		require.Equal(t, test.want, reasons, name)
	}
}

func TestPlan_NamedEndpointsKeepTheirFilters(t *testing.T) {
	t.Parallel()
	refuses := filtered("standard", delivery.Active, "false")
	plan, err := standing.Plan(draftOf(t, "1", refuses.ID), []*delivery.Endpoint{refuses, endpoint("standard", delivery.Active)})
	require.NoError(t, err)
	require.Len(t, plan.Deliveries, 1)
	require.Equal(t, delivery.Filtered, plan.Deliveries[0].Reason, "narrowed, never widened")
}

func TestPlan_ATestPassesFiltersAndTakesItsPlaceInTheOrder(t *testing.T) {
	t.Parallel()
	target := filtered("standard", delivery.Active, "false")
	target.FIFO = true
	draft := draftOf(t, "1", target.ID)
	draft.Trigger = delivery.TriggerTest
	plan, err := standing.Plan(draft, []*delivery.Endpoint{target})
	require.NoError(t, err)
	require.Equal(t, []delivery.Planned{{
		EndpointID: target.ID, State: delivery.Pending, Delay: -testHeadStart, Trigger: delivery.TriggerTest, FIFO: true,
	}}, plan.Deliveries)
}

func TestPlan_FiltersSeeTheEventAndNotTheEnvelope(t *testing.T) {
	t.Parallel()
	draft := draftOf(t, `{"id":"not ours","tipo":1}`)
	draft.Event.ExternalID, draft.Event.CoalesceKey = "e-1", "k-1"
	all := []*delivery.Endpoint{
		filtered("fair-queue", delivery.Active, `data.id == "not ours" && data.tipo == 1 && tenant == "acme" && external_id == "e-1"
			&& coalesce_key == "k-1" && occurred_at == timestamp("2026-03-01T12:00:00Z")`),
		filtered("fair-queue", delivery.Active, `!(data.id == "not ours")`),
	}
	plan, err := standing.Plan(draft, all)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{all[0].ID}, endpointsOf(plan))

	own := identified(&delivery.Draft{Event: delivery.Event{Tenant: "acme", Type: "a", ContentType: "application/json", Body: []byte(`{"a":1}`)}})
	all[0].Filter, all[1].Filter = "data.a == 1", "data.a == 2"
	plan, err = standing.Plan(own, all)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{all[0].ID}, endpointsOf(plan), "a JSON body of the publisher's own is data too")
}

// A log line per event would be a flood, and must not repeat what is in it.
func TestFilters_ComplainOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := planner{presets{}, &filters{log: slog.New(slog.NewTextHandler(&log, nil))}}
	undecided, unreadable := filtered("standard", delivery.Active, `data[data.which] == 1`), filtered("standard", delivery.Active, "data.total >")
	for range 100 {
		plan, err := p.Plan(draftOf(t, `{"which":"tax-number-123"}`), []*delivery.Endpoint{undecided, unreadable})
		require.NoError(t, err)
		require.Len(t, plan.Deliveries, 2)
	}
	require.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), undecided.ID.Format(delivery.EndpointPrefix))
	require.Contains(t, log.String(), "line 1, column 13")
	require.NotContains(t, log.String(), "tax-number-123")

	undecided.Filter += " && true"
	_, err := p.Plan(draftOf(t, `{}`), []*delivery.Endpoint{undecided})
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(log.String(), "\n"), "another filter is news")
}

func TestFilters_RememberFewComplaints(t *testing.T) {
	t.Parallel()
	f := &filters{log: slog.New(slog.DiscardHandler)}
	for range toldAbout + 10 {
		f.complain(endpoint("standard", delivery.Active), delivery.ErrUnknownEndpoint)
	}
	require.LessOrEqual(t, len(f.told), toldAbout)
}

// 1,800 endpoints, of which each wants the events of one customer: what a large
// platform's fan-out looks like.
func BenchmarkPlan_FiltersOfManyEndpoints(b *testing.B) {
	for name, filter := range map[string]func(i int) string{
		"none": func(int) string { return "" },
		"same": func(int) string { return `data.customer == "c7"` },
		"each": func(i int) string {
			return `data.customer == "c` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + `"`
		},
	} {
		b.Run(name, func(b *testing.B) {
			endpoints := make([]*delivery.Endpoint, 1800)
			for i := range endpoints {
				endpoints[i] = filtered("standard", delivery.Active, filter(i))
			}
			draft := identified(&delivery.Draft{
				Event: delivery.Event{Tenant: "acme", Type: "order.paid"}, Data: []byte(`{"customer":"c7","total":1000,"items":[1,2,3]}`),
			})
			for b.Loop() {
				if _, err := standing.Plan(draft, endpoints); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
