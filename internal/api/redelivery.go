package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
)

// Replay is what became, or with a preview would become, of the deliveries
// asked for.
type Replay struct {
	Results []Replayed // in the order of the request
	Done    bool       // all went back into the queue; false: nothing was changed
}

// Replayed is what becomes of one delivery.
type Replayed struct {
	ID         delivery.ID
	Refusal    ReplayRefusal  // "": it is, or would be, replayed
	State      delivery.State // that it was found in; "" if it was not found
	Tenant     string         // "" if it was not found
	EventID    delivery.ID
	EndpointID delivery.ID
	URL        string // where it goes: the endpoint's at this moment (D10)
}

// ReplayRefusal says why a delivery is not replayed.
type ReplayRefusal string

// The refusals.
const (
	ReplayNotFound         ReplayRefusal = "not_found"
	ReplayNotReplayable    ReplayRefusal = "not_replayable"
	ReplayNoEndpoint       ReplayRefusal = "no_endpoint"
	ReplayEndpointDeleted  ReplayRefusal = "endpoint_deleted"
	ReplayEndpointDisabled ReplayRefusal = "endpoint_disabled"
	ReplayMayHaveArrived   ReplayRefusal = "may_have_arrived"
	ReplaySuperseded       ReplayRefusal = "superseded"
	ReplayEventExpired     ReplayRefusal = "event_expired"
)

var replayRefusals = map[ReplayRefusal]string{
	ReplayNotFound:         "There is no delivery with this id.",
	ReplayNotReplayable:    "Its state is not one that its endpoint's policy lets you replay.",
	ReplayNoEndpoint:       "Its event matched no endpoint, so there is nowhere to send it.",
	ReplayEndpointDeleted:  "Its endpoint was deleted.",
	ReplayEndpointDisabled: "Its endpoint is disabled: enable it first.",
	ReplayMayHaveArrived:   "Its endpoint takes everything at most once, and it may have arrived: publish a new event if it must be sent again.",
	ReplaySuperseded:       "A newer delivery with its coalescing key is on its way, or arrived.",
	ReplayEventExpired:     "Its event is no longer kept.",
}

type replayedJSON struct {
	ID         string  `json:"id" example:"whd_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	EventID    *string `json:"event_id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	EndpointID *string `json:"endpoint_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	URL        *string `json:"url" example:"https://example.com/webhooks" doc:"Where it goes: the endpoint's URL at this moment."`
	State      *string `json:"state" example:"dead" doc:"The state that it was found in."`
	Refusal    *string `json:"refusal" doc:"null: it can be replayed. Otherwise not_found, not_replayable, no_endpoint, endpoint_deleted, endpoint_disabled, may_have_arrived, superseded or event_expired."`
	Detail     *string `json:"detail" doc:"The refusal in a sentence."`
}

func showReplayed(r Replayed) replayedJSON {
	return replayedJSON{
		ID: r.ID.Format(delivery.DeliveryPrefix), EventID: optionalID(delivery.EventPrefix, r.EventID),
		EndpointID: optionalID(delivery.EndpointPrefix, r.EndpointID), URL: optional(r.URL),
		State: optional(string(r.State)), Refusal: optional(string(r.Refusal)), Detail: optional(replayRefusals[r.Refusal]),
	}
}

type replayRequestJSON struct {
	IDs     []string `json:"ids" minItems:"1" maxItems:"50" maxLength:"50" doc:"The deliveries' ids."`
	Preview bool     `json:"preview,omitempty" doc:"Say what would happen, and change nothing."`
}

type replayResultJSON struct {
	Data     []replayedJSON `json:"data" doc:"In the order of the request."`
	Replayed bool           `json:"replayed" doc:"Whether they went back into the queue; false in a preview."`
}

type resolutionJSON struct {
	Reason string `json:"reason" doc:"Why nothing needs to be sent: 10 to 1,000 characters. It is kept."`
}

type replayManyInput struct{ Body replayRequestJSON }

type replayManyAnswer struct {
	Status int
	Body   replayResultJSON
}

type replayOneAnswer struct{ Body replayedJSON }

type resolveInput struct {
	ID   string `path:"id" doc:"The delivery's id."`
	Body resolutionJSON
}

func (s *server) registerRedelivery(r *routes) {
	const again = "The same event with the same bytes, to the endpoint's URL at this moment, in a new cycle of attempts."
	handle(r, route{
		id: "replay-webhook-delivery", method: http.MethodPost, path: "/v1/webhook_deliveries/{id}/replay",
		tag: tagDeliveries, need: mayManage, status: http.StatusAccepted, summary: "Replay a delivery", description: again,
		codes: []Code{DeliveryNotReplayable},
	}, s.replayOne)
	handle(r, route{
		id: "replay-webhook-deliveries", method: http.MethodPost, path: "/v1/webhook_deliveries/replay",
		tag: tagDeliveries, need: mayManage, status: http.StatusAccepted, okMeans: "OK, for a preview", summary: "Replay up to 50 deliveries",
		description: again + " All or none: if one is refused, or is not there, the answer is 409 and `errors` says which. A preview answers 200.",
		sample:      `{"ids": ["$DELIVERY_ID"], "preview": true}`, codes: []Code{DeliveryNotReplayable},
	}, s.replayMany)
	handle(r, route{
		id: "resolve-webhook-delivery", method: http.MethodPost, path: "/v1/webhook_deliveries/{id}/resolve",
		tag: tagDeliveries, need: mayManage, summary: "Resolve a dead delivery",
		description: "Nothing is sent; it leaves the list of dead ones, and the reason is kept.",
		sample:      `{"reason": "Settled by phone with the customer."}`, codes: []Code{DeliveryNotResolvable},
	}, s.resolve)
	s.registerResolveMany(r)
}

func (s *server) replayOne(ctx context.Context, input *deliveryPath) (*replayOneAnswer, error) {
	id, err := idAt(delivery.DeliveryPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	tenant, _ := caller(ctx).owner().Tenant()
	replay, err := s.Redelivery.Replay(ctx, []delivery.ID{id}, tenant, false)
	if err != nil {
		return nil, err
	}
	result := replay.Results[0]
	switch {
	case replay.Done:
		changedDeliveries(ctx, replay.Results)
		return &replayOneAnswer{showReplayed(result)}, nil
	case result.Refusal == ReplayNotFound:
		return nil, problem(NotFound, "")
	default:
		return nil, problem(DeliveryNotReplayable, "The delivery cannot be replayed. %s", replayRefusals[result.Refusal])
	}
}

func (s *server) replayMany(ctx context.Context, input *replayManyInput) (*replayManyAnswer, error) {
	ids := make([]delivery.ID, len(input.Body.IDs))
	for i, shown := range input.Body.IDs {
		var err error
		if ids[i], err = idIn(fmt.Sprintf("ids[%d]", i), delivery.DeliveryPrefix, shown); err != nil {
			return nil, err
		}
	}
	tenant, _ := caller(ctx).owner().Tenant()
	replay, err := s.Redelivery.Replay(ctx, ids, tenant, input.Body.Preview)
	if err != nil {
		return nil, err
	}
	if !replay.Done && !input.Body.Preview {
		return nil, refusedReplay(replay.Results)
	}
	if replay.Done {
		changedDeliveries(ctx, replay.Results)
	} else {
		changedNothing(ctx)
	}
	answer := &replayManyAnswer{
		Status: http.StatusAccepted,
		Body:   replayResultJSON{Data: shown(replay.Results, showReplayed), Replayed: replay.Done},
	}
	if input.Body.Preview {
		answer.Status = http.StatusOK
	}
	return answer, nil
}

// changedDeliveries says in the detail what state each was in.
func changedDeliveries(ctx context.Context, results []Replayed) {
	for _, r := range results {
		changed(ctx, subjectOfDelivery(r.Tenant, r.ID, "was "+string(r.State)))
	}
}

func subjectOfDelivery(tenant string, id delivery.ID, detail string) Subject {
	return Subject{Tenant: tenant, Kind: SubjectDelivery, ID: id.Format(delivery.DeliveryPrefix), Detail: detail}
}

func refusedReplay(results []Replayed) *Problem {
	p := problem(DeliveryNotReplayable, "Nothing was replayed, because some of the deliveries cannot be: see errors.")
	for i, result := range results {
		if result.Refusal != "" {
			p.Errors = append(p.Errors, Fault{Field: fmt.Sprintf("ids[%d]", i), Detail: replayRefusals[result.Refusal]})
		}
	}
	return p
}

func (s *server) resolve(ctx context.Context, input *resolveInput) (*struct{}, error) {
	reason, err := resolutionIn(input.Body.Reason)
	if err != nil {
		return nil, err
	}
	found, _, err := s.deliveryAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	if err := s.Redelivery.Resolve(ctx, found.ID, reason); err != nil {
		return nil, err
	}
	changed(ctx, subjectOfDelivery(found.Tenant, found.ID, ""))
	return nil, nil
}

// resolutionIn is a request's reason, without white space around it.
func resolutionIn(given string) (string, error) {
	reason := strings.TrimSpace(given)
	if n := utf8.RuneCountInString(reason); n < 10 || n > 1000 {
		return "", fault("reason", "must have 10 to 1,000 characters, white space around it not counted")
	}
	return reason, nil
}
