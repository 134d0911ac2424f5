package gaprepair

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/publish"
)

// askGap is between two requests that make GitHub do something: it asks for a
// second.
const askGap = time.Second

// bring brings in what is missing of a page, and says whether all of it was done.
func (t *turn) bring(ctx context.Context, missing []item) (whole bool, _ error) {
	if t.span != nil && t.span.dryRun || len(missing) == 0 {
		return true, nil
	}
	if asker, asks := t.provider.(asker); asks {
		return t.askAll(ctx, asker, missing)
	}
	for some := range slices.Chunk(t.requests(missing), largestPage) {
		if err := t.feed(ctx, some); err != nil {
			return false, err
		}
	}
	return true, nil
}

// requests are what is published, the oldest first.
func (t *turn) requests(missing []item) []publish.Request {
	requests := make([]publish.Request, 0, len(missing))
	for _, one := range slices.Backward(missing) {
		request := publish.Request{
			Tenant: t.source.Tenant, Type: one.kind, Body: one.body, ContentType: "application/json",
			Source: t.source.ID, IdempotencyKey: one.key, ExternalID: one.id, OccurredAt: one.at,
		}
		if t.source.Shape != nil && !t.source.Shape(&request) {
			t.report.Filtered++
			continue
		}
		requests = append(requests, request)
	}
	return requests
}

// feed publishes events, all in one transaction. One that cannot be published
// does not keep the others out.
func (t *turn) feed(ctx context.Context, requests []publish.Request) error {
	for len(requests) > 0 {
		results, err := t.runner.options.Publisher.Publish(ctx, requests)
		if index, unfit := unfitRequest(err); unfit && index >= 0 && index < len(requests) {
			t.refuse(requests[index].IdempotencyKey, err)
			requests = slices.Delete(requests, index, index+1)
			continue
		}
		if err != nil {
			return err
		}
		for _, result := range results {
			if result.Duplicate { // it came while this one looked
				t.report.Missing--
				t.report.Known++
			} else {
				t.report.Fed++
				t.found++
			}
		}
		return nil
	}
	return nil
}

// unfitRequest finds the one request for whose sake none was taken, if that can
// never be otherwise.
func unfitRequest(err error) (index int, unfit bool) {
	var invalid *publish.InvalidError
	var large *publish.TooLargeError
	switch {
	case errors.As(err, &invalid):
		return invalid.Index, true
	case errors.As(err, &large):
		return large.Index, true
	}
	return 0, false
}

// askAll asks for those deliveries whose time it is, as far as the turn goes.
func (t *turn) askAll(ctx context.Context, asker asker, missing []item) (whole bool, _ error) {
	p := t.state.Pass
	for _, one := range missing {
		todo := asking{now: true}
		if t.span == nil {
			todo = plan(one.at, t.state.Asked, p.Began)
		}
		if todo.now {
			if !t.mayGoOn() || t.span == nil && t.caller.pause > 0 {
				return false, nil
			}
			if err := t.ask(ctx, asker, one, todo.first); err != nil {
				return false, err
			}
		}
		if todo.await {
			p.await(one.at)
		}
		if todo.givenUp {
			p.GivenUp++
			t.report.GivenUp++
			t.runner.options.Log.Warn("a delivery did not come however often it was asked for, and is not asked for again",
				"source", t.source.shown(), "delivery", one.id)
		}
		p.Within = one.id
	}
	return true, nil
}

// ask asks once. That GitHub will not repeat this one, is no reason to stop: it is
// asked for again later, like those that do not come.
func (t *turn) ask(ctx context.Context, asker asker, one item, first bool) error {
	if err := t.runner.rest(ctx, askGap); err != nil {
		return err
	}
	err := asker.ask(ctx, t.caller, one)
	var failure *APIError
	if errors.As(err, &failure) && (failure.Reason == Rejected || failure.Reason == NotFound) {
		t.refuse(one.key, err)
		return nil
	}
	if err != nil {
		return err
	}
	t.report.Asked++
	if first {
		t.found++
	}
	return nil
}

func (t *turn) refuse(key string, err error) {
	t.report.Refused++
	t.state.Pass.Refused++
	t.runner.options.Log.Warn("an event that did not come in cannot be brought in",
		"source", t.source.shown(), "event", key, "error", err)
}
