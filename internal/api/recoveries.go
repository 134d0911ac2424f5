package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// RecoveryWindow is what a recovery is about: an endpoint's closed deliveries in
// some states, of the events of a span of time.
type RecoveryWindow struct {
	Endpoint delivery.ID
	Since    time.Time
	Until    time.Time        // not included; zero: the present
	States   []delivery.State // empty: skipped and dead
}

// Recovery is a job that delivers again what was skipped or died in a window.
type Recovery struct {
	ID     delivery.ID
	Tenant string
	RecoveryWindow
	Status string // running, done, cancelled or failed
	Detail string // why it failed

	Total, Recovered, PassedOver int

	CreatedAt, UpdatedAt time.Time
	EndedAt              time.Time // zero: it is running
}

type recoverRequestJSON struct {
	Since  timestamp `json:"since" nullable:"false" doc:"From the events accepted then on."`
	Until  timestamp `json:"until,omitzero" doc:"Up to, and not including, the events accepted then. Left out: the present."`
	States []string  `json:"states,omitempty" maxItems:"3" enum:"skipped,dead,discarded" uniqueItems:"true" doc:"Which deliveries. Left out: skipped and dead ones."`
	DryRun bool      `json:"dry_run,omitempty" doc:"Only count what there is."`
}

type recoveryJSON struct {
	ID         *string   `json:"id" example:"rec_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"null: it was a dry run."`
	EndpointID string    `json:"endpoint_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Status     *string   `json:"status" example:"running" doc:"running, done, cancelled or failed; null: it was a dry run."`
	Detail     *string   `json:"detail" doc:"Why it failed."`
	Since      timestamp `json:"since" nullable:"false"`
	Until      timestamp `json:"until" doc:"null: the present."`
	States     []string  `json:"states" example:"[\"skipped\",\"dead\"]"`
	Total      int       `json:"total" example:"120" doc:"How many deliveries the window had when it began, or as many as could be counted in a few seconds."`
	Recovered  int       `json:"recovered" example:"80" doc:"How many went back into the queue so far."`
	PassedOver int       `json:"passed_over" example:"0" doc:"How many were left alone: replayed or replaced meanwhile, or their event is no longer kept."`
	CreatedAt  timestamp `json:"created_at" doc:"null: it was a dry run."`
	UpdatedAt  timestamp `json:"updated_at"`
	EndedAt    timestamp `json:"ended_at" doc:"null: it has not."`
}

func showRecovery(r Recovery) recoveryJSON {
	states := make([]string, len(r.States))
	for i, state := range r.States {
		states[i] = string(state)
	}
	return recoveryJSON{
		ID: optionalID(delivery.RecoveryPrefix, r.ID), EndpointID: r.Endpoint.Format(delivery.EndpointPrefix),
		Status: optional(r.Status), Detail: optional(r.Detail), Since: timestamp{r.Since}, Until: timestamp{r.Until}, States: states,
		Total: r.Total, Recovered: r.Recovered, PassedOver: r.PassedOver,
		CreatedAt: timestamp{r.CreatedAt}, UpdatedAt: timestamp{r.UpdatedAt}, EndedAt: timestamp{r.EndedAt},
	}
}

type recoverInput struct {
	OncePerKey
	ID   string `path:"id" doc:"The endpoint's id."`
	Body recoverRequestJSON
}

type recoverAnswer struct {
	Status int
	Body   recoveryJSON
}

type recoveryPath struct {
	ID string `path:"id" doc:"The recovery's id."`
}

type listRecoveriesInput struct {
	Paging
	ID string `path:"id" doc:"The endpoint's id."`
}

type recoveryAnswer struct{ Body recoveryJSON }

func (s *server) registerRecoveries(r *routes) {
	handle(r, route{
		id: "recover-webhook-endpoint", method: http.MethodPost, path: "/v1/webhook_endpoints/{id}/recover",
		tag: tagEndpoints, need: mayManage, status: http.StatusAccepted, okMeans: "OK, for a dry run, or a repeat", timeout: longWork,
		summary: "Recover what an endpoint missed",
		description: "Delivers again what was skipped or died in a span of time: a job that goes on by itself, survives restarts, " +
			"and queues no more than the endpoint takes. It is paced by the endpoint's limits, like all that waits for it.",
		sample: `{"since": "2026-01-01T00:00:00Z", "dry_run": true}`,
		codes:  []Code{EndpointDisabled, RecoveryRunning, CreatedAndDeleted},
	}, s.recover)
	handle(r, route{
		id: "list-webhook-endpoint-recoveries", method: http.MethodGet, path: "/v1/webhook_endpoints/{id}/recoveries",
		tag: tagEndpoints, need: mayRead, summary: "List an endpoint's recoveries", description: "Newest first.",
	}, s.listRecoveries)
	handle(r, route{
		id: "get-recovery", method: http.MethodGet, path: "/v1/recoveries/{id}", tag: tagEndpoints, need: mayRead,
		summary: "Get a recovery", description: "With its progress.",
	}, s.getRecovery)
	handle(r, route{
		id: "cancel-recovery", method: http.MethodPost, path: "/v1/recoveries/{id}/cancel", tag: tagEndpoints, need: mayManage,
		summary: "Cancel a recovery", description: "What it has queued stays queued. Cancelling it again does nothing.",
		codes: []Code{RecoveryEnded},
	}, s.cancelRecovery)
}

func (s *server) recover(ctx context.Context, input *recoverInput) (*recoverAnswer, error) {
	id, endpoint, err := s.endpointAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	window := RecoveryWindow{Endpoint: id, Since: input.Body.Since.Time, Until: input.Body.Until.Time}
	for _, state := range input.Body.States {
		window.States = append(window.States, delivery.State(state))
	}
	if input.Body.DryRun {
		counted, err := s.Recoveries.CountRecoverable(ctx, window)
		if err != nil {
			return nil, err
		}
		changedNothing(ctx)
		return &recoverAnswer{Status: http.StatusOK, Body: showRecovery(counted)}, nil
	}
	begun, created, err := s.Recoveries.StartRecovery(ctx, endpoint.Tenant, window, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, subjectOfRecovery(begun))
	answer := &recoverAnswer{Status: http.StatusAccepted, Body: showRecovery(begun)}
	if !created {
		answer.Status = http.StatusOK
	}
	return answer, nil
}

func (s *server) listRecoveries(ctx context.Context, input *listRecoveriesInput) (*listAnswer[recoveryJSON], error) {
	id, _, err := s.endpointAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	list := listOf("recoveries", id.String())
	before, err := list.afterID(input.Cursor)
	if err != nil {
		return nil, err
	}
	found, err := s.Recoveries.Recoveries(ctx, id, before, input.Limit+1)
	if err != nil {
		return nil, err
	}
	answer := &listAnswer[recoveryJSON]{}
	if len(found) > input.Limit {
		found = found[:input.Limit]
		answer.Body.NextCursor = list.idCursor(found[input.Limit-1].ID)
	}
	answer.Body.Data = shown(found, showRecovery)
	return answer, nil
}

// recoveryAt finds the recovery that a path names, if it is the caller's.
func (s *server) recoveryAt(ctx context.Context, named string) (Recovery, error) {
	id, err := idAt(delivery.RecoveryPrefix, named)
	if err != nil {
		return Recovery{}, err
	}
	found, err := s.Recoveries.Recovery(ctx, id)
	if err != nil {
		return Recovery{}, err
	}
	if !caller(ctx).owner().Owns(found.Tenant) {
		return Recovery{}, problem(NotFound, "")
	}
	return found, nil
}

func (s *server) getRecovery(ctx context.Context, input *recoveryPath) (*recoveryAnswer, error) {
	found, err := s.recoveryAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	return &recoveryAnswer{showRecovery(found)}, nil
}

func (s *server) cancelRecovery(ctx context.Context, input *recoveryPath) (*recoveryAnswer, error) {
	found, err := s.recoveryAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	cancelled, err := s.Recoveries.CancelRecovery(ctx, found.ID)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfRecovery(cancelled))
	return &recoveryAnswer{showRecovery(cancelled)}, nil
}

func subjectOfRecovery(r Recovery) Subject {
	return Subject{
		Tenant: r.Tenant, Kind: SubjectRecovery, ID: r.ID.Format(delivery.RecoveryPrefix),
		Detail: r.Endpoint.Format(delivery.EndpointPrefix),
	}
}
