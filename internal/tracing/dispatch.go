package tracing

import (
	"context"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// claimer is what dispatch needs of the storage.
type claimer interface {
	ClaimHanded(ctx context.Context, n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error)
	CompleteAndClaim(ctx context.Context, completions []policy.Completion, onward policy.Onward) (policy.Completed, error)
}

// Claimer claims with a span for each delivery whose event is traced.
type Claimer struct {
	claimer
	tracer *Tracer
}

// NewClaimer stands before a storage.
func NewClaimer(tracer *Tracer, next claimer) *Claimer { return &Claimer{next, tracer} }

// ClaimHanded implements dispatch.Storage.
func (c *Claimer) ClaimHanded(ctx context.Context, n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error) {
	started := time.Now()
	claimed, err := c.claimer.ClaimHanded(ctx, n, room, handed)
	c.trace(claimed.Claims, started)
	return claimed, err
}

// CompleteAndClaim implements dispatch.Storage.
func (c *Claimer) CompleteAndClaim(ctx context.Context, completions []policy.Completion, onward policy.Onward) (policy.Completed, error) {
	started := time.Now()
	completed, err := c.claimer.CompleteAndClaim(ctx, completions, onward)
	c.trace(completed.Next.Claims, started)
	return completed, err
}

func (c *Claimer) trace(claims []*delivery.Claim, started time.Time) {
	ended := time.Now()
	for _, claim := range claims {
		if claim.Event.TraceParent == "" {
			continue
		}
		_, span := c.tracer.tracer.Start(under(context.Background(), claim.Event.TraceParent), "claim",
			trace.WithTimestamp(started), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(about(claim)...),
			trace.WithAttributes(attribute.Int("messaging.batch.message_count", len(claims)),
				attribute.Float64("malote.waited_seconds", claim.ClaimedAt.Sub(claim.ScheduledAt).Seconds())))
		span.End(trace.WithTimestamp(ended))
		claim.Event.TraceParent = parentOf(span)
	}
}

func about(claim *delivery.Claim) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("messaging.system", "malote"),
		attribute.String("messaging.message.id", claim.Event.ID.Format(delivery.EventPrefix)),
		attribute.String("malote.tenant", claim.Event.Tenant),
		attribute.String("malote.delivery.id", claim.DeliveryID.Format(delivery.DeliveryPrefix)),
		attribute.String("malote.endpoint.id", claim.Endpoint.ID.Format(delivery.EndpointPrefix)),
		attribute.Int("malote.attempt", claim.Attempt),
	}
}

// sender makes attempts.
type sender interface {
	Send(ctx context.Context, claim *delivery.Claim, contract *policy.Policy, now time.Time) delivery.Outcome
}

// Sender makes attempts with a span for each whose event is traced. The span's
// traceparent is what the policy may pass on to the receiver.
type Sender struct {
	tracer *Tracer
	next   sender
}

// NewSender stands before a sender.
func NewSender(tracer *Tracer, next sender) *Sender { return &Sender{tracer, next} }

// Send implements dispatch.Sender.
func (s *Sender) Send(ctx context.Context, claim *delivery.Claim, contract *policy.Policy, now time.Time) delivery.Outcome {
	if claim.Event.TraceParent == "" {
		return s.next.Send(ctx, claim, contract, now)
	}
	ctx, span := s.tracer.tracer.Start(under(ctx, claim.Event.TraceParent), "attempt",
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(about(claim)...), trace.WithAttributes(
			attribute.String("http.request.method", "POST"), attribute.String("server.address", hostOf(claim.Endpoint.URL)),
			attribute.Int("http.request.body.size", len(claim.Event.Body))))
	defer span.End()
	claim.Event.TraceParent = parentOf(span)
	outcome := s.next.Send(ctx, claim, contract, now)
	if outcome.Status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", outcome.Status))
	}
	switch {
	case outcome.Error != "":
		span.SetAttributes(attribute.String("error.type", string(outcome.Error)))
		span.SetStatus(codes.Error, string(outcome.Error))
	case outcome.Status >= 300:
		span.SetStatus(codes.Error, "")
	}
	return outcome
}

// hostOf leaves path and query out: customers keep secrets in them.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}
