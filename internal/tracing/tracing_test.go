package tracing

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/publish"
)

const (
	incoming  = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	traceID   = "0af7651916cd43dd8448eb211c80319c"
)

func recording(ratio float64) (*Tracer, *tracetest.SpanRecorder) {
	recorder := tracetest.NewSpanRecorder()
	return newTracer(Options{Ratio: ratio, Version: "test"}, sdktrace.WithSpanProcessor(recorder)), recorder
}

// path is all that spans stand around: it keeps what it is given.
type path struct {
	requests []publish.Request
	err      error
	outcome  delivery.Outcome
	sent     string // the traceparent that the sender saw
	claims   []*delivery.Claim
}

func (p *path) Publish(_ context.Context, requests []publish.Request) ([]publish.Result, error) {
	p.requests = requests
	return make([]publish.Result, len(requests)), p.err
}

func (p *path) PublishEach(_ context.Context, requests []publish.Request) ([]publish.Each, error) {
	p.requests = requests
	outcomes := make([]publish.Each, len(requests))
	outcomes[len(outcomes)-1].Err = errors.New("refused")
	return outcomes, p.err
}

func (p *path) ClaimHanded(context.Context, int, delivery.Room, []delivery.LaneRef) (delivery.Claimed, error) {
	return delivery.Claimed{Claims: p.claims}, nil
}

func (p *path) CompleteAndClaim(context.Context, []policy.Completion, policy.Onward) (policy.Completed, error) {
	return policy.Completed{Next: delivery.Claimed{Claims: p.claims}}, nil
}

func (p *path) Send(_ context.Context, claim *delivery.Claim, _ *policy.Policy, _ time.Time) delivery.Outcome {
	p.sent = claim.Event.TraceParent
	return p.outcome
}

func claimOf(parent string) *delivery.Claim {
	return &delivery.Claim{
		Event:    delivery.Event{TraceParent: parent, Tenant: "acme"},
		Endpoint: &delivery.Endpoint{URL: "https://hooks.example.com/secret-path?token=hush"},
	}
}

func TestOneTraceFromPublishToAttempt(t *testing.T) {
	t.Parallel()
	tracer, recorder := recording(0)
	p := &path{outcome: delivery.Outcome{Status: 503}}
	mine := []publish.Request{{Tenant: "acme", Type: "invoice.paid", TraceParent: incoming}}
	_, err := NewPublisher(tracer, p).Publish(t.Context(), mine)
	require.NoError(t, err)
	require.Equal(t, incoming, mine[0].TraceParent, "the caller's own stays as it is")

	p.claims = []*delivery.Claim{claimOf(p.requests[0].TraceParent), claimOf("")}
	claimed, err := NewClaimer(tracer, p).ClaimHanded(t.Context(), 1, delivery.Room{}, nil)
	require.NoError(t, err)
	for _, c := range claimed.Claims {
		NewSender(tracer, p).Send(t.Context(), c, nil, time.Now())
		if c.Event.TraceParent == "" {
			require.Empty(t, p.sent, "nobody traces it")
		} else {
			require.Contains(t, p.sent, traceID)
		}
	}

	spans := recorder.Ended()
	require.Len(t, spans, 3)
	parent := "b7ad6b7169203331"
	for i, wanted := range []string{"publish invoice.paid", "claim", "attempt"} {
		require.Equal(t, wanted, spans[i].Name())
		require.Equal(t, traceID, spans[i].SpanContext().TraceID().String())
		require.Equal(t, parent, spans[i].Parent().SpanID().String(), wanted)
		parent = spans[i].SpanContext().SpanID().String()
		for _, attribute := range spans[i].Attributes() {
			require.NotContains(t, attribute.Value.String(), "hush")
			require.NotContains(t, attribute.Value.String(), "secret-path")
		}
	}
	require.Equal(t, codes.Error, spans[2].Status().Code)
	require.Contains(t, claimed.Claims[0].Event.TraceParent, parent, "what the receiver is given is the attempt")
}

func TestWhatACompletionClaimsIsTraced(t *testing.T) {
	t.Parallel()
	tracer, recorder := recording(0)
	p := &path{claims: []*delivery.Claim{claimOf(incoming), claimOf("")}}
	_, err := NewClaimer(tracer, p).CompleteAndClaim(t.Context(), nil, policy.Onward{Slots: 2})
	require.NoError(t, err)
	spans := recorder.Ended()
	require.Len(t, spans, 1)
	require.Equal(t, "claim", spans[0].Name())
	require.Contains(t, p.claims[0].Event.TraceParent, spans[0].SpanContext().SpanID().String())
}

func TestWhoeverCameUnsampledStaysSo(t *testing.T) {
	t.Parallel()
	tracer, recorder := recording(1)
	p := &path{}
	_, err := NewPublisher(tracer, p).Publish(t.Context(), []publish.Request{{Type: "a", TraceParent: unsampled}, {Type: "b"}})
	require.NoError(t, err)
	require.Len(t, recorder.Ended(), 1, "only the one that began here, at a ratio of 1")
	require.Equal(t, unsampled[:36], p.requests[0].TraceParent[:36], "the trace goes on")
	require.Equal(t, "00", p.requests[0].TraceParent[53:], "unsampled")
	require.True(t, delivery.ValidTraceParent(p.requests[1].TraceParent))
}

func TestWithoutATraceNothingIsSampledAtRatioZero(t *testing.T) {
	t.Parallel()
	tracer, recorder := recording(0)
	p := &path{}
	_, err := NewPublisher(tracer, p).Publish(t.Context(), []publish.Request{{Type: "a"}, {Type: "<script>", TraceParent: "nonsense"}})
	require.NoError(t, err)
	require.Empty(t, recorder.Ended())
}

func TestPublishEach_EveryRowHasItsOwnEnd(t *testing.T) {
	t.Parallel()
	tracer, recorder := recording(1)
	p := &path{}
	_, err := NewPublisher(tracer, p).PublishEach(t.Context(), []publish.Request{{Type: "a"}, {Type: "b"}})
	require.NoError(t, err)
	require.Equal(t, codes.Unset, recorder.Ended()[0].Status().Code)
	require.Equal(t, codes.Error, recorder.Ended()[1].Status().Code)

	p.err = errors.New("the database is away")
	_, err = NewPublisher(tracer, p).PublishEach(t.Context(), []publish.Request{{Type: "a"}})
	require.Error(t, err)
	_, err = NewPublisher(tracer, p).Publish(t.Context(), []publish.Request{{Type: "a"}})
	require.Error(t, err)
	for _, span := range recorder.Ended()[2:] {
		require.Equal(t, codes.Error, span.Status().Code)
		require.NotContains(t, span.Status().Description, "database", "internals go to the log")
	}
}

func TestSender_SaysWhatWentWrong(t *testing.T) {
	t.Parallel()
	tracer, recorder := recording(1)
	for _, outcome := range []delivery.Outcome{{Error: delivery.Timeout}, {Status: 200}} {
		NewSender(tracer, &path{outcome: outcome}).Send(t.Context(), claimOf(incoming), nil, time.Now())
	}
	require.Equal(t, codes.Error, recorder.Ended()[0].Status().Code)
	require.Equal(t, string(delivery.Timeout), recorder.Ended()[0].Status().Description)
	require.Equal(t, codes.Unset, recorder.Ended()[1].Status().Code)
}
