package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/malotehq/malote/internal/relay"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/outbox"
)

// Outbox is an application's own database that has one.
type Outbox struct {
	Name string // in logs and metrics: a-z, 0-9 and '-'
	DSN  string // with the password: never to be shown
}

// OwnOutbox is the name of the outbox in Malote's own database.
const OwnOutbox = "malote"

var outboxName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

func checkOutboxes(list []Outbox) error {
	var names []string
	for _, o := range list {
		switch {
		case !outboxName.MatchString(o.Name):
			return fmt.Errorf("an outbox cannot be called %q: use up to 32 of a-z, 0-9 and '-'", o.Name)
		case o.Name == OwnOutbox || slices.Contains(names, o.Name):
			return fmt.Errorf("there is another outbox called %q: give each a name of its own", o.Name)
		case o.DSN == "":
			return fmt.Errorf("the outbox %q has no database: write NAME=postgres://user@host/database", o.Name)
		}
		names = append(names, o.Name)
	}
	return nil
}

// wireRelays makes a relay for Malote's own outbox and one for each other.
func (p *process) wireRelays(dsn string) {
	for _, o := range append([]Outbox{{Name: OwnOutbox, DSN: dsn}}, p.options.Outboxes...) {
		p.relays = append(p.relays, relay.New(relay.Options{
			Name: o.Name, Outbox: relayedOutbox{outbox.New(o.DSN)}, Publisher: p.publisher, Observer: watchedRelay{p.metrics, p.outboxes},
			Unavailable: func(err error) bool { return !store.IsRefusedData(err) }, Log: p.log, Poll: p.options.RelayPoll,
		}))
	}
}

// relay carries all outboxes until ctx ends.
func (p *process) relay(ctx context.Context) {
	var all sync.WaitGroup
	for _, r := range p.relays {
		all.Go(func() { r.Run(ctx) })
	}
	all.Go(func() { p.watchOutboxes(ctx) })
	all.Wait()
}

// relayedOutbox shows the store's outbox to the relay.
type relayedOutbox struct{ *outbox.Outbox }

// Take implements relay.Outbox.
func (o relayedOutbox) Take(ctx context.Context, above int64, rows, bytes int) (relay.Batch, error) {
	batch, err := o.Outbox.Take(ctx, above, rows, bytes)
	if err != nil {
		return nil, err
	}
	return takenRows{batch}, nil
}

// Lag implements relay.Outbox.
func (o relayedOutbox) Lag(ctx context.Context) (relay.Lag, error) {
	lag, err := o.Outbox.Lag(ctx)
	return relay.Lag(lag), err
}

// takenRows shows a batch to the relay.
type takenRows struct{ *outbox.Batch }

// Rows implements relay.Batch.
func (b takenRows) Rows() []relay.Row {
	return mapAll(b.Batch.Rows, func(r outbox.Row) relay.Row {
		row := relay.Row{
			Position: r.Position, ID: r.ID, Tenant: r.Tenant, Type: r.Type, ContentType: r.ContentType, Body: r.Body,
			IdempotencyKey: r.IdempotencyKey, CoalesceKey: r.CoalesceKey, EntityVersion: r.EntityVersion, ExternalID: r.ExternalID,
			EndpointIDs: r.EndpointIDs, WrittenAt: r.WrittenAt,
		}
		if r.OccurredAt != nil {
			row.OccurredAt = *r.OccurredAt
		}
		return row
	})
}

// Settle implements relay.Batch.
func (b takenRows) Settle(ctx context.Context, refusals []relay.Refusal) error {
	return b.Batch.Settle(ctx, mapAll(refusals, func(r relay.Refusal) outbox.Refusal { return outbox.Refusal(r) }))
}
