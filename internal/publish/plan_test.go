package publish

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// standing is the planner with the policies that ship.
var standing = planner{presets{}, &filters{log: slog.New(slog.DiscardHandler)}}

func draftOf(t *testing.T, data string, ids ...delivery.ID) *delivery.Draft {
	t.Helper()
	draft, err := drafter{maxBody: 1 << 20}.draft(0, Request{
		Tenant: "acme", Type: "invoice.paid", Data: []byte(data), EndpointIDs: ids,
	})
	require.NoError(t, err)
	return identified(draft)
}

// identified is a draft as the planner sees it: in its transaction.
func identified(draft *delivery.Draft) *delivery.Draft {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	draft.Event.ID = delivery.NewID(delivery.ShardOf(draft.Event.Tenant), at, rand.Reader)
	draft.Event.AcceptedAt, draft.Event.OccurredAt = at, at
	return draft
}

func endpoint(policyName string, status delivery.EndpointStatus, types ...string) *delivery.Endpoint {
	return &delivery.Endpoint{ID: newID(), Tenant: "acme", Policy: policyName, Status: status, EventTypes: types}
}

func TestDracma_D07_WhatIsSkippedAndWhy(t *testing.T) {
	t.Parallel()
	paid := []string{"invoice.paid"}
	for name, test := range map[string]struct {
		endpoints []*delivery.Endpoint
		want      []delivery.Reason // of each delivery; "": pending
		nobody    bool              // the one delivery is no endpoint's
	}{
		"no endpoint":                {nil, []delivery.Reason{delivery.NoEndpoint}, true},
		"an empty list is all":       {[]*delivery.Endpoint{endpoint("dracma", delivery.Active)}, []delivery.Reason{""}, false},
		"subscribed":                 {[]*delivery.Endpoint{endpoint("dracma", delivery.Active, paid...)}, []delivery.Reason{""}, false},
		"by a pattern":               {[]*delivery.Endpoint{endpoint("dracma", delivery.Active, "invoice.*")}, []delivery.Reason{""}, false},
		"not subscribed, recorded":   {[]*delivery.Endpoint{endpoint("dracma", delivery.Active, "x")}, []delivery.Reason{delivery.TypeNotSubscribed}, false},
		"not subscribed, nobody":     {[]*delivery.Endpoint{endpoint("standard", delivery.Active, "x")}, []delivery.Reason{delivery.TypeNotSubscribed}, true},
		"paused collects":            {[]*delivery.Endpoint{endpoint("standard", delivery.Paused)}, []delivery.Reason{""}, false},
		"disabled by its user":       {[]*delivery.Endpoint{endpoint("standard", delivery.DisabledByUser)}, []delivery.Reason{delivery.EndpointDisabled}, false},
		"disabled by the system":     {[]*delivery.Endpoint{endpoint("routa", delivery.DisabledBySystem)}, []delivery.Reason{delivery.EndpointDisabled}, false},
		"disabled, not subscribed":   {[]*delivery.Endpoint{endpoint("dracma", delivery.DisabledByUser, "x")}, []delivery.Reason{delivery.TypeNotSubscribed}, false},
		"one takes it, one does not": {[]*delivery.Endpoint{endpoint("standard", delivery.Active, "x"), endpoint("standard", delivery.Active)}, []delivery.Reason{""}, false},
		"each by its own policy": {
			[]*delivery.Endpoint{endpoint("dracma", delivery.Active, "x"), endpoint("standard", delivery.Active, "x"), endpoint("axxos", delivery.Active)},
			[]delivery.Reason{delivery.TypeNotSubscribed, ""}, false,
		},
	} {
		plan, err := standing.Plan(draftOf(t, "1"), test.endpoints)
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

func TestPlan_EndpointIDsNarrowTheFanOut(t *testing.T) {
	t.Parallel()
	a, b, other := endpoint("standard", delivery.Active), endpoint("fair-queue", delivery.Active), endpoint("standard", delivery.Active, "x")
	all := []*delivery.Endpoint{a, b, other}
	plan, err := standing.Plan(draftOf(t, "1", b.ID, b.ID, a.ID), all)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{b.ID, a.ID}, endpointsOf(plan), "once each")

	plan, err = standing.Plan(draftOf(t, "1", other.ID), all)
	require.NoError(t, err)
	require.Equal(t, delivery.TypeNotSubscribed, plan.Deliveries[0].Reason, "narrowed, never widened")

	stranger := newID()
	_, err = standing.Plan(draftOf(t, "1", a.ID, stranger), all)
	require.ErrorIs(t, err, delivery.ErrUnknownEndpoint)
	require.ErrorContains(t, err, stranger.Format(delivery.EndpointPrefix))
}

func TestStandard_S07_ATestGoesFirstAndToAnybody(t *testing.T) {
	t.Parallel()
	target := endpoint("fair-queue", delivery.Active, "something.else")
	draft := draftOf(t, `{"message":"x"}`, target.ID)
	draft.Trigger = delivery.TriggerTest
	plan, err := standing.Plan(draft, []*delivery.Endpoint{endpoint("standard", delivery.Active), target})
	require.NoError(t, err)
	require.Equal(t, []delivery.Planned{{
		EndpointID: target.ID, State: delivery.Pending, Delay: -testHeadStart, Trigger: delivery.TriggerTest,
	}}, plan.Deliveries)
	require.Equal(t, wrapped(t, "fair-queue", draft), string(plan.Bodies[0]))

	target.Status = delivery.DisabledByUser
	plan, err = standing.Plan(draft, []*delivery.Endpoint{target})
	require.NoError(t, err)
	require.Equal(t, delivery.EndpointDisabled, plan.Deliveries[0].Reason, "not sent when it is enabled one day")
	require.Equal(t, delivery.TriggerTest, plan.Deliveries[0].Trigger, "nor recovered")

	draft.EndpointIDs = []delivery.ID{newID()}
	_, err = standing.Plan(draft, []*delivery.Endpoint{target})
	require.ErrorIs(t, err, delivery.ErrUnknownEndpoint)
}

func TestPlan_EnvelopesAreMadeOncePerKind(t *testing.T) {
	t.Parallel()
	draft := draftOf(t, `{ "b":1.0, "a":"\u0000" }`)
	plan, err := standing.Plan(draft, []*delivery.Endpoint{
		endpoint("standard", delivery.Active), endpoint("fair-queue", delivery.Active),
		endpoint("routa", delivery.Active), endpoint("fair-queue", delivery.Active), endpoint("standard", delivery.Active),
	})
	require.NoError(t, err)
	require.Equal(t, []string{wrapped(t, "standard", draft), wrapped(t, "fair-queue", draft)}, []string{string(plan.Bodies[0]), string(plan.Bodies[1])})
	require.Len(t, plan.Bodies, 2)
	var renderings []int
	for _, planned := range plan.Deliveries {
		renderings = append(renderings, planned.Rendering)
	}
	require.Equal(t, []int{0, 1, 0, 1, 0}, renderings)

	own := &delivery.Draft{Event: delivery.Event{Type: "a", Body: []byte("\x00\xff")}}
	plan, err = standing.Plan(own, []*delivery.Endpoint{endpoint("standard", delivery.Active), endpoint("fair-queue", delivery.Active)})
	require.NoError(t, err)
	require.Equal(t, [][]byte{own.Event.Body}, plan.Bodies, "the publisher's own bytes, whatever the policy")
}

func TestFairQueue_F10_BodyIsItsEnvelope(t *testing.T) {
	t.Parallel()
	draft := draftOf(t, `{"total": 12345678901234567890}`)
	plan, err := standing.Plan(draft, []*delivery.Endpoint{endpoint("fair-queue", delivery.Active)})
	require.NoError(t, err)
	require.Equal(t, `{"id":"`+draft.Event.ID.Format(delivery.EventPrefix)+`","tipo":"invoice.paid",`+
		`"criado_em":"2026-03-01T12:00:00.000Z","dados":{"total": 12345678901234567890}}`, string(plan.Bodies[0]))
}

func TestPlan_WithoutAPolicyNothingIsPlanned(t *testing.T) {
	t.Parallel()
	broken := endpoint("gone", delivery.Active)
	_, err := standing.Plan(draftOf(t, "1"), []*delivery.Endpoint{endpoint("standard", delivery.Active), broken})
	require.ErrorContains(t, err, broken.ID.Format(delivery.EndpointPrefix))
	draft := draftOf(t, "1", broken.ID)
	draft.Trigger = delivery.TriggerTest
	_, err = standing.Plan(draft, []*delivery.Endpoint{broken})
	require.Error(t, err)
	_, err = planner{noPolicies{}, standing.filters}.Plan(draftOf(t, "1"), nil)
	require.Error(t, err)
}

type noPolicies struct{}

func (noPolicies) Policy(string) (*policy.Policy, error) { return nil, errors.New("none") }

func TestPlan_G02_EveryDraftIsAccountedFor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draft, endpoints := drawDraft(t), rapid.SliceOfN(rapid.Custom(drawEndpoint), 0, 12).Draw(t, "endpoints")
		if len(endpoints) > 0 && rapid.Bool().Draw(t, "named") {
			for _, e := range rapid.SliceOfN(rapid.SampledFrom(endpoints), 1, 5).Draw(t, "names") {
				draft.EndpointIDs = append(draft.EndpointIDs, e.ID)
			}
		}
		plan, err := standing.Plan(draft, endpoints)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, draft, endpoints, plan)
		checkBodies(t, draft, endpoints, plan)
	})
}

func drawDraft(t *rapid.T) *delivery.Draft {
	request := Request{Tenant: "acme", Type: rapid.SampledFrom([]string{"a", "a.b", "c"}).Draw(t, "type")}
	if rapid.Bool().Draw(t, "own bytes") {
		request.Body = rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		if request.Body == nil {
			request.Body = []byte{}
		}
	} else {
		request.Data = []byte(rapid.SampledFrom([]string{
			`null`, `12345678901234567890`, `1.0`, `"\u0000\ud83d\ude00<>&"`, `"😀é"`, ` { "b" : 1,"a":2 ,"a":3 } `, "[\n1\t]",
		}).Draw(t, "data"))
	}
	draft, err := drafter{maxBody: 1 << 20}.draft(0, request)
	if err != nil {
		t.Fatal(err)
	}
	return identified(draft)
}

// takes are filters and what they say about the type.
var takes = map[string]func(eventType string) bool{
	"":                        func(string) bool { return true },
	"true":                    func(string) bool { return true },
	"false":                   func(string) bool { return false },
	`type == "a"`:             func(eventType string) bool { return eventType == "a" },
	`type != "a" && data.x.y`: func(eventType string) bool { return eventType != "a" }, // no event has it: undecided
	"type ==":                 func(string) bool { return true },                       // cannot be read
}

func drawEndpoint(t *rapid.T) *delivery.Endpoint {
	e := endpoint(
		rapid.SampledFrom([]string{"standard", "fair-queue", "axxos", "gateway", "routa", "dracma"}).Draw(t, "policy"),
		rapid.SampledFrom([]delivery.EndpointStatus{delivery.Active, delivery.Paused, delivery.DisabledByUser, delivery.DisabledBySystem}).Draw(t, "status"),
		rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a.*", "b", "*"}), 0, 2).Draw(t, "types")...,
	)
	e.Filter = rapid.SampledFrom(slices.Sorted(maps.Keys(takes))).Draw(t, "filter")
	e.FIFO = rapid.Bool().Draw(t, "fifo")
	return e
}

// checkPlan checks who gets what: just those that are named (or all), once at
// most, pending just where subscribed, let through and accepting; and somebody
// always.
func checkPlan(t *rapid.T, draft *delivery.Draft, endpoints []*delivery.Endpoint, plan delivery.Plan) {
	planned := make(map[delivery.ID]delivery.Planned)
	for _, p := range plan.Deliveries {
		if _, twice := planned[p.EndpointID]; twice {
			t.Fatal("an endpoint gets it twice")
		}
		planned[p.EndpointID] = p
	}
	if len(planned) == 0 {
		t.Fatal("nothing is recorded")
	}
	for _, e := range endpoints {
		isNamed := len(draft.EndpointIDs) == 0 || slices.Contains(draft.EndpointIDs, e.ID)
		p, isPlanned := planned[e.ID]
		contract, _ := policy.Preset(e.Policy)
		isWanted := e.Subscribes(draft.Event.Type) && takes[e.Filter](draft.Event.Type)
		switch {
		case !isNamed && isPlanned:
			t.Fatal("an endpoint gets it that was not named")
		case isNamed && isWanted && e.Status.Accepts():
			if p.State != delivery.Pending || p.Delay != contract.Schedule.FirstDelay || p.FIFO != e.FIFO {
				t.Fatalf("not pending: %+v", p)
			}
		case isNamed && isWanted && p.Reason != delivery.EndpointDisabled:
			t.Fatalf("what a disabled endpoint misses vanishes: %+v", p)
		case p.State == delivery.Pending:
			t.Fatalf("pending, for whom it is not: %+v", p)
		}
		delete(planned, e.ID)
	}
	for id := range planned {
		if !id.IsZero() || len(plan.Deliveries) > 1 {
			t.Fatal("somebody gets it who does not exist")
		}
	}
}

// checkBodies checks that the publisher's bytes are there, each form once.
func checkBodies(t *rapid.T, draft *delivery.Draft, endpoints []*delivery.Endpoint, plan delivery.Plan) {
	forms := make(map[string]int) // envelope → rendering
	for _, p := range plan.Deliveries {
		name := policy.Default
		if i := slices.IndexFunc(endpoints, func(e *delivery.Endpoint) bool { return e.ID == p.EndpointID }); i >= 0 {
			name = endpoints[i].Policy
		}
		contract, _ := policy.Preset(name)
		key, body := fmt.Sprint(contract.Envelope.Members), plan.Bodies[p.Rendering]
		if draft.Data == nil {
			key = ""
		}
		if at, seen := forms[key]; seen && at != p.Rendering {
			t.Fatal("one form is kept twice")
		}
		forms[key] = p.Rendering
		if draft.Data == nil && !bytes.Equal(body, draft.Event.Body) {
			t.Fatal("the publisher's own bytes were changed")
		}
		if draft.Data != nil && (!json.Valid(body) || !bytes.Contains(body, draft.Data)) {
			t.Fatalf("the data's bytes were changed: %s", body)
		}
	}
	if len(plan.Bodies) != len(forms) {
		t.Fatalf("%d bodies in %d forms", len(plan.Bodies), len(forms))
	}
}

func endpointsOf(plan delivery.Plan) (ids []delivery.ID) {
	for _, planned := range plan.Deliveries {
		ids = append(ids, planned.EndpointID)
	}
	return ids
}

func wrapped(t *testing.T, policyName string, draft *delivery.Draft) string {
	t.Helper()
	contract, known := policy.Preset(policyName)
	require.True(t, known)
	return string(contract.Envelope.Render(policy.Fields{
		ID: draft.Event.ID.Format(delivery.EventPrefix), Type: draft.Event.Type,
		OccurredAt: draft.Event.OccurredAt, AcceptedAt: draft.Event.AcceptedAt,
	}, draft.Data))
}
