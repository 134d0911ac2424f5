package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// publishers publish at a steady rate, several at once.
type publishers struct {
	client *client
	ledger *ledger
	number int
	giveUp context.CancelCauseFunc // ends run; set by it
}

// run publishes everything and returns when all is answered or ctx has ended,
// or with an error when the API cannot be reached any more.
func (p publishers) run(ctx context.Context, t traffic) error {
	ctx, p.giveUp = context.WithCancelCause(ctx)
	defer p.giveUp(nil)
	parcels := make(chan parcel, p.number)
	var working sync.WaitGroup
	for range p.number {
		working.Go(func() {
			for next := range parcels {
				p.send(ctx, &next)
			}
		})
	}
	began := time.Now()
	feed(ctx, t, parcels)
	working.Wait()
	p.ledger.finish(time.Since(began))
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("publishing: %w", cause)
	}
	return nil
}

// feed hands out parcels when they are due.
func feed(ctx context.Context, t traffic, parcels chan<- parcel) {
	defer close(parcels)
	began := time.Now()
	for next := range t.parcels() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(began.Add(next.due))):
		}
		select {
		case <-ctx.Done():
			return
		case parcels <- next:
		}
	}
}

// send publishes a parcel, twice at the same time if it is to be repeated: both
// answers must name the same event, and one of them say that it is new.
func (p publishers) send(ctx context.Context, next *parcel) {
	body := next.body()
	if !next.repeated {
		p.request(ctx, next, body)
		return
	}
	var one, other []receipt
	var second sync.WaitGroup
	second.Go(func() { other = p.request(ctx, next, body) })
	one = p.request(ctx, next, body)
	second.Wait()
	if one == nil || other == nil {
		return
	}
	switch key := next.events[0].key; {
	case one[0].ID != other[0].ID:
		p.ledger.fault(TwoEvents, "two requests with the key %s made %s and %s", key, one[0].ID, other[0].ID)
	case !one[0].Duplicate && !other[0].Duplicate:
		p.ledger.fault(TwoEvents, "two requests with the key %s were both told that %s is new", key, one[0].ID)
	}
}

// request makes one request and takes down the answers; nil: it failed.
func (p publishers) request(ctx context.Context, next *parcel, body []byte) []receipt {
	sentAt := time.Now()
	answers, err := p.answers(ctx, next, body)
	if err != nil {
		if said, refused := errors.AsType[*refusal](err); refused && !said.temporary() {
			p.ledger.fault(PublishFailed, "%d event(s) from key %s on: %v", len(next.events), next.events[0].key, err)
		} else {
			p.giveUp(err) // the first cause counts; ctx may have ended before
		}
		return nil
	}
	if len(answers) != len(next.events) {
		p.ledger.fault(PublishFailed, "%d event(s) were published and %d answered", len(next.events), len(answers))
		return nil
	}
	for i := range answers {
		p.ledger.note(&next.events[i], sentAt, answers[i])
	}
	p.ledger.noteRequest(next)
	return answers
}

func (p publishers) answers(ctx context.Context, next *parcel, body []byte) ([]receipt, error) {
	if len(next.events) > 1 {
		return p.client.publishBatch(ctx, body)
	}
	answer, err := p.client.publish(ctx, body)
	return []receipt{answer}, err
}
