package tracing

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options of New.
type Options struct {
	// Endpoint is the OTLP/HTTP collector's, such as http://127.0.0.1:4318.
	Endpoint string
	// Ratio is the share of publishes that begin a trace of their own, 0 to 1. One
	// that comes with a traceparent is traced as its sender decided.
	Ratio   float64
	Version string
}

// Tracer makes spans and hands them to the exporter in the background. It is safe
// for concurrent use.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// shutdownTimeout bounds how long the last spans may take to leave.
const shutdownTimeout = 5 * time.Second

// New starts exporting. A collector that is away costs spans, nothing else.
func New(ctx context.Context, options Options) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(options.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("setting up the export of traces: %w", err)
	}
	return newTracer(options, sdktrace.WithBatcher(exporter)), nil
}

func newTracer(options Options, processor sdktrace.TracerProviderOption) *Tracer {
	provider := sdktrace.NewTracerProvider(processor,
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(options.Ratio))),
		sdktrace.WithResource(sdkresource.NewSchemaless(
			attribute.String("service.name", "malote"), attribute.String("service.version", options.Version))))
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/malotehq/malote")}
}

// Close sends what is left.
func (t *Tracer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("sending the last traces: %w", err)
	}
	return nil
}

const traceParent = "traceparent"

// under gives a context whose spans belong to the traceparent; without a valid
// one, ctx itself.
func under(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceParent: parent})
}

// parentOf is the traceparent of a span. The flags say whether it is sampled.
func parentOf(span trace.Span) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), span), carrier)
	return carrier[traceParent]
}
