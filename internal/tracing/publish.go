package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// publisher is publish.Service.
type publisher interface {
	Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error)
	PublishEach(ctx context.Context, requests []publish.Request) ([]publish.Each, error)
}

// Publisher publishes with a span for each event, and leaves the span's
// traceparent in the event.
type Publisher struct {
	tracer *Tracer
	next   publisher
}

// NewPublisher stands before a publisher.
func NewPublisher(tracer *Tracer, next publisher) *Publisher { return &Publisher{tracer, next} }

// Publish implements the ways in's publishers.
func (p *Publisher) Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error) {
	traced, spans := p.begin(ctx, requests)
	results, err := p.next.Publish(ctx, traced)
	for i, span := range spans {
		if err != nil {
			p.end(span, publish.Result{}, err)
		} else {
			p.end(span, results[i], nil)
		}
	}
	return results, err
}

// PublishEach implements the relay's publisher.
func (p *Publisher) PublishEach(ctx context.Context, requests []publish.Request) ([]publish.Each, error) {
	traced, spans := p.begin(ctx, requests)
	outcomes, err := p.next.PublishEach(ctx, traced)
	for i, span := range spans {
		if err != nil {
			p.end(span, publish.Result{}, err)
		} else {
			p.end(span, outcomes[i].Result, outcomes[i].Err)
		}
	}
	return outcomes, err
}

// begin works on copies: the caller may send the same requests again.
func (p *Publisher) begin(ctx context.Context, requests []publish.Request) ([]publish.Request, []trace.Span) {
	traced, spans := make([]publish.Request, len(requests)), make([]trace.Span, len(requests))
	for i, request := range requests {
		_, spans[i] = p.tracer.tracer.Start(under(ctx, request.TraceParent), "publish "+spanType(request.Type),
			trace.WithSpanKind(trace.SpanKindProducer),
			trace.WithAttributes(
				attribute.String("messaging.system", "malote"), attribute.String("messaging.operation.type", "send"),
				attribute.String("malote.tenant", request.Tenant), attribute.String("malote.event.type", request.Type)))
		request.TraceParent = parentOf(spans[i])
		traced[i] = request
	}
	return traced, spans
}

func (p *Publisher) end(span trace.Span, result publish.Result, err error) {
	if err != nil {
		span.SetStatus(codes.Error, "not published")
	} else {
		span.SetAttributes(
			attribute.String("messaging.message.id", result.ID.Format(delivery.EventPrefix)),
			attribute.Bool("malote.duplicate", result.Duplicate),
			attribute.Int("malote.deliveries", result.Deliveries), attribute.Int("malote.skipped", result.Skipped))
	}
	span.End()
}

// spanType keeps what is not yet known to be a type out of a span's name.
func spanType(text string) string {
	if !delivery.ValidType(text) {
		return "event"
	}
	return text
}
