package outbox

import (
	"context"
	"strings"
	"time"
)

// The casts say which function is meant, whatever types a driver gives to its
// arguments.
const (
	publishData = `SELECT malote.publish_json($1::text, $2::text, $3::text,
	idempotency_key => $4::text, coalesce_key => $5::text, entity_version => $6::text, external_id => $7::text,
	occurred_at => $8::timestamptz, endpoint_ids => $9::text::text[], aggregate_type => $10::text, aggregate_id => $11::text)::text`

	publishBody = `SELECT malote.publish($1::text, $2::text, $3::bytea, $12::text,
	idempotency_key => $4::text, coalesce_key => $5::text, entity_version => $6::text, external_id => $7::text,
	occurred_at => $8::timestamptz, endpoint_ids => $9::text::text[], aggregate_type => $10::text, aggregate_id => $11::text)::text`
)

// Publish writes the event into the outbox, as a part of the transaction. The
// event exists when the transaction commits. It costs one round trip.
//
// The errors are [*InvalidError] and [ErrNotTransaction], after which the
// transaction is as it was; [ErrNotInstalled], [ErrNotAllowed], or what the
// driver says, after which it must be rolled back.
func Publish(ctx context.Context, tx Tx, event Event) (ID, error) {
	if err := checkTx(tx); err != nil {
		return ID{}, err
	}
	if err := event.check(-1); err != nil {
		return ID{}, err
	}
	args := []any{
		event.Tenant, event.Type, string(event.Data),
		orNull(event.IdempotencyKey), orNull(event.CoalesceKey), orNull(event.EntityVersion), orNull(event.ExternalID),
		instant(event.OccurredAt), event.endpoints(), orNull(event.AggregateType), orNull(event.AggregateID),
	}
	statement := publishData
	if event.Body != nil {
		statement = publishBody
		args[2] = event.Body
		args = append(args, orNull(event.ContentType))
	}
	text, err := queryText(ctx, tx, statement, args...)
	if err != nil {
		return ID{}, err
	}
	return parseID(text)
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// instant cuts an instant to what PostgreSQL keeps: some drivers cut, with others
// the server rounds.
func instant(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Truncate(time.Microsecond)
}

// endpoints is an array as PostgreSQL writes it, which every driver can send. The
// ids were checked: there is nothing in them to be quoted.
func (e *Event) endpoints() any {
	if e.EndpointIDs == nil {
		return nil
	}
	return "{" + strings.Join(e.EndpointIDs, ",") + "}"
}
