package relay

import (
	"context"
	"fmt"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// KeyPrefix begins the idempotency key of an event whose row had none of its own;
// what publish() returned follows.
const KeyPrefix = "outbox:"

// carried is what became of a batch.
type carried struct {
	events, duplicates int
	refusals           []Refusal
}

// publish makes events of rows. Its error is of the whole batch.
func (r *Relay) publish(ctx context.Context, rows []Row) (carried, error) {
	var done carried
	var requests []publish.Request
	var places []int // of the requests among the rows
	for i, row := range rows {
		request, err := requestOf(row)
		if err != nil {
			done.refusals = append(done.refusals, Refusal{Index: i, Reason: err.Error()})
			continue
		}
		requests, places = append(requests, request), append(places, i)
	}
	outcomes, err := r.options.Publisher.PublishEach(ctx, requests)
	if err != nil {
		if len(requests) > 1 || r.options.Unavailable(err) {
			return carried{}, err
		}
		// Alone, and not for want of a database: it would fail for ever.
		r.log.Error("a row of the outbox cannot be stored; it is kept among the refused", "id", rows[places[0]].ID, "error", err)
		outcomes = []publish.Each{{Err: errUnstorable}}
	}
	for n, outcome := range outcomes {
		switch {
		case outcome.Err != nil && !isRefusal(outcome.Err):
			// What failed for other reasons comes again, with its neighbours, which are
			// duplicates then.
			return carried{}, outcome.Err
		case outcome.Err != nil:
			done.refusals = append(done.refusals, Refusal{Index: places[n], Reason: reason(outcome.Err)})
		case outcome.Duplicate:
			done.duplicates++
		default:
			done.events++
		}
	}
	return done, nil
}

func requestOf(row Row) (publish.Request, error) {
	request := publish.Request{
		Tenant: row.Tenant, Type: row.Type,
		IdempotencyKey: row.IdempotencyKey, CoalesceKey: row.CoalesceKey,
		EntityVersion: row.EntityVersion, ExternalID: row.ExternalID, OccurredAt: row.OccurredAt, WrittenAt: row.WrittenAt,
	}
	if request.IdempotencyKey == "" {
		request.IdempotencyKey = KeyPrefix + row.ID
	}
	if row.ContentType == nil {
		request.Data = row.Body
	} else {
		request.Body, request.ContentType = row.Body, *row.ContentType
	}
	if row.EndpointIDs != nil {
		request.EndpointIDs = []delivery.ID{} // none is not the same as all
	}
	for _, text := range row.EndpointIDs {
		id, err := delivery.ParseID(delivery.EndpointPrefix, text)
		if err != nil {
			return publish.Request{}, fmt.Errorf("endpoint_ids: %q is not an endpoint's id, which looks like whe_…", text)
		}
		request.EndpointIDs = append(request.EndpointIDs, id)
	}
	return request, nil
}
