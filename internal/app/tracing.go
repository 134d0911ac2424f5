package app

import (
	"context"

	"github.com/malotehq/malote/internal/dispatch"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/tracing"
)

// publisher is how all ways in publish.
type publisher interface {
	Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error)
	PublishEach(ctx context.Context, requests []publish.Request) ([]publish.Each, error)
}

func openTracer(ctx context.Context, options Options) (*tracing.Tracer, error) {
	if options.OTLPEndpoint == "" {
		return nil, nil
	}
	return tracing.New(ctx, tracing.Options{Endpoint: options.OTLPEndpoint, Ratio: options.TraceRatio, Version: options.Version})
}

// Without a tracer, nothing stands between.

func tracedPublisher(tracer *tracing.Tracer, service *publish.Service) publisher {
	if tracer == nil {
		return service
	}
	return tracing.NewPublisher(tracer, service)
}

func tracedClaims(tracer *tracing.Tracer, s *store.Store) dispatch.Storage {
	if tracer == nil {
		return s
	}
	return tracing.NewClaimer(tracer, s)
}

func tracedSender(tracer *tracing.Tracer, sender dispatch.Sender) dispatch.Sender {
	if tracer == nil {
		return sender
	}
	return tracing.NewSender(tracer, sender)
}
