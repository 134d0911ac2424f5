package api

import (
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// DeliveryFilter says which deliveries to list, newest first. Conditions are
// joined by "and"; the zero value lists all of all tenants.
type DeliveryFilter struct {
	Tenant     string
	EndpointID delivery.ID
	EventID    delivery.ID
	State      delivery.State     // "": all
	EventType  string             // exact; "": all
	Reason     delivery.Reason    // why it was closed; "": all
	ErrorCode  delivery.ErrorCode // of the last attempt; "": all
	Since      time.Time          // of events accepted then or later; zero: no bound
	Until      time.Time          // of events accepted before; zero: no bound
	After      delivery.ID
	Limit      int
}

// DeliveryPage is one page of deliveries. A page with a Next may be short, even
// empty.
type DeliveryPage struct {
	Deliveries []delivery.Delivery
	Next       delivery.ID // zero: this is the last
}

type deliveryJSON struct {
	ID         string  `json:"id" example:"whd_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	EventID    string  `json:"event_id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	EndpointID *string `json:"endpoint_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"null: the event matched no endpoint."`
	Tenant     string  `json:"tenant" example:"acme"`
	EventType  string  `json:"event_type" example:"invoice.paid"`
	State      string  `json:"state" enum:"pending,sending,delivered,dead,skipped,superseded,resolved,discarded" example:"dead"`
	DeadReason *string `json:"dead_reason" example:"attempts_exhausted" doc:"Why it is dead: attempts_exhausted, too_old, rejected, gone, too_large, interrupted or endpoint_deleted."`
	SkipReason *string `json:"skip_reason" doc:"Why nothing was sent: no_endpoint, type_not_subscribed or endpoint_disabled."`
	Resolution *string `json:"resolution" doc:"What the person wrote who resolved it."`
	Trigger    string  `json:"trigger" enum:"schedule,replay,test,recover" doc:"Why it was last put into the queue."`

	AttemptCount       int       `json:"attempt_count" example:"10"`
	NextAttemptAt      timestamp `json:"next_attempt_at" doc:"null unless it is pending."`
	LastResponseStatus *int      `json:"last_response_status" example:"503" doc:"null: the last attempt read no answer, or there was none."`
	LastErrorCode      *string   `json:"last_error_code" example:"http_status" doc:"Why the last attempt failed, as an attempt's error_code."`
	CoalesceKey        *string   `json:"coalesce_key" doc:"Its event's."`
	SupersededBy       *string   `json:"superseded_by" doc:"The newer delivery that took its place."`
	CreatedAt          timestamp `json:"created_at" nullable:"false"`
	ClosedAt           timestamp `json:"closed_at" doc:"null while there is something left to be done."`

	Attempts *[]attemptJSON `json:"attempts,omitempty" doc:"Only in the answer for one delivery."`
}

func showDelivery(d delivery.Delivery) deliveryJSON {
	view := deliveryJSON{
		ID: d.ID.Format(delivery.DeliveryPrefix), EventID: d.EventID.Format(delivery.EventPrefix),
		EndpointID: optionalID(delivery.EndpointPrefix, d.EndpointID), Tenant: d.Tenant, EventType: d.EventType,
		State: string(d.State), Resolution: optional(d.Resolution), Trigger: string(d.Trigger),
		AttemptCount: d.AttemptCount, NextAttemptAt: timestamp{d.NextAttemptAt},
		LastResponseStatus: optional(d.LastStatus), LastErrorCode: optional(string(d.LastError)),
		CoalesceKey: optional(d.CoalesceKey), SupersededBy: optionalID(delivery.DeliveryPrefix, d.SupersededBy),
		CreatedAt: timestamp{d.CreatedAt}, ClosedAt: timestamp{d.ClosedAt},
	}
	switch d.State {
	case delivery.Dead:
		view.DeadReason = optional(string(d.Reason))
	case delivery.Skipped:
		view.SkipReason = optional(string(d.Reason))
	}
	return view
}

type attemptJSON struct {
	Number         int       `json:"number" example:"1" doc:"1… over the delivery's whole life."`
	Trigger        string    `json:"trigger" enum:"schedule,replay,test,recover"`
	ScheduledAt    timestamp `json:"scheduled_at" nullable:"false" doc:"When it was due."`
	StartedAt      timestamp `json:"started_at" nullable:"false"`
	DurationMS     int64     `json:"duration_ms" example:"184"`
	ResponseStatus *int      `json:"response_status" example:"503" doc:"null: no answer was read."`
	ErrorCode      *string   `json:"error_code" example:"http_status" doc:"null: it succeeded. Otherwise timeout, dns, connect_refused, connect, tls, reset, protocol, blocked_address, url_not_allowed, no_secret, http_status, response_truncated or interrupted; of mail, smtp_deferred, smtp_rejected or smtp_auth."`
	Error          *string   `json:"error" example:"The endpoint answered with a status that is not a success." doc:"What went wrong, in a sentence."`
	ResponseBody   *string   `json:"response_body" example:"Service Unavailable" doc:"The beginning of a failed answer, as text."`
}

func showAttempt(a delivery.Attempt) attemptJSON {
	o := a.Outcome
	message := o.ErrorText
	if message == "" {
		message = o.Error.Explain()
	}
	return attemptJSON{
		Number: a.Number, Trigger: string(a.Trigger), ScheduledAt: timestamp{a.ScheduledAt},
		StartedAt: timestamp{o.StartedAt}, DurationMS: o.Duration.Milliseconds(),
		ResponseStatus: optional(o.Status), ErrorCode: optional(string(o.Error)), Error: optional(message),
		ResponseBody: optional(strings.ToValidUTF8(string(o.Response), "\uFFFD")),
	}
}
