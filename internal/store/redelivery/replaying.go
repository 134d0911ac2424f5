package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/survey.sql
var surveySQL string

// replaying is one try at a request: a survey, then one transaction.
type replaying struct {
	request Request
	ids     []delivery.ID
	tx      pgx.Tx

	found   map[delivery.ID]*candidate
	allowed map[permission]bool // what was asked before anything was locked
	lanes   map[delivery.ID]delivery.EndpointStatus
	rivals  map[entity][]rival
	done    bool
}

// candidate is a delivery of the request that exists and may be seen.
type candidate struct {
	id, eventID, endpointID delivery.ID
	state                   delivery.State
	tenant, coalesceKey     string
	policy, url             string // of the endpoint, at this moment
	locked                  bool   // it is closed, and nobody else can change that
	eventKept               bool
	atMostOnce              bool // the endpoint wants nothing twice (A06)
	attempts                int
	lastError               delivery.ErrorCode
	refusal                 Refusal
}

// permission is what a policy is asked.
type permission struct {
	policy string
	state  delivery.State
}

// entity is what coalescing is about: one thing as one endpoint sees it.
type entity struct {
	endpointID  delivery.ID
	coalesceKey string
}

func newReplaying(request Request, ids []delivery.ID) *replaying {
	return &replaying{
		request: request, ids: ids,
		found:   make(map[delivery.ID]*candidate),
		allowed: make(map[permission]bool),
		lanes:   make(map[delivery.ID]delivery.EndpointStatus),
		rivals:  make(map[entity][]rival),
	}
}

// survey finds what there is, without a lock, and asks what the policies allow.
func (r *replaying) survey(ctx context.Context, pool *pgxpool.Pool) error {
	err := inOrder(byShard(r.ids), func(shard delivery.Shard, ids []delivery.ID) error {
		rows, _ := pool.Query(ctx, surveySQL, planned, shard, ids)
		var c candidate
		_, err := pgx.ForEachRow(rows, []any{&c.id, &c.state, &c.tenant, &c.eventID, &c.endpointID, &c.coalesceKey, &c.policy}, func() error {
			if r.request.Tenant == "" || r.request.Tenant == c.tenant {
				one := c
				r.found[c.id] = &one
			}
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("looking for them: %w", err)
	}
	for _, c := range r.found {
		if ask := (permission{c.policy, c.state}); !c.state.Open() && c.policy != "" {
			r.allowed[ask] = r.request.Allowed(ask.policy, ask.state)
		}
	}
	return nil
}

// run decides under locks, and writes if nothing is refused.
func (r *replaying) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		r.lockLanes,
		r.lockRivals,
		r.lockClosed,
		r.decide,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if r.request.Preview || r.refused() {
		return nil
	}
	for _, step := range []func(context.Context) error{
		r.supersedeOlder,
		r.reopen,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	r.done = true
	return nil
}

// replayable are the candidates that were closed and have an endpoint.
func (r *replaying) replayable() []*candidate {
	var list []*candidate
	for _, id := range r.ids {
		if c := r.found[id]; c != nil && !c.state.Open() && !c.endpointID.IsZero() {
			list = append(list, c)
		}
	}
	return list
}

func (c *candidate) entity() entity { return entity{c.endpointID, c.coalesceKey} }

// supersedeOlder ends what the reopened deliveries replace.
func (r *replaying) supersedeOlder(ctx context.Context) error {
	endings := make(map[delivery.Shard]ending)
	for _, c := range r.replayable() {
		e := endings[c.id.Shard()]
		e.replace(r.rivals[c.entity()], c.id)
		endings[c.id.Shard()] = e
	}
	return inOrder(endings, func(shard delivery.Shard, e ending) error { return e.close(ctx, r.tx, shard) })
}

func (r *replaying) reopen(ctx context.Context) error {
	return inOrder(byShard(r.ids), func(shard delivery.Shard, ids []delivery.ID) error {
		opened, err := reopen(ctx, r.tx, shard, ids, r.request.Trigger)
		if err == nil && len(opened) != len(ids) {
			err = fmt.Errorf("%d were to be reopened and %d were: %w", len(ids), len(opened), errAgain)
		}
		return err
	})
}
