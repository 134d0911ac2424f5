package api

import (
	"context"
	"net/http"
	"time"
)

type statusJSON struct {
	Status string `json:"status" enum:"ok"`
}

type statusAnswer struct{ Body statusJSON }

func (s *server) registerHealth(r *routes) {
	handle(r, route{
		id: "get-health", method: http.MethodGet, path: "/healthz", tag: tagHealth, need: anybody,
		summary: "Whether the process runs", description: "It says nothing about the database: a restart would not help that.",
	}, func(context.Context, *struct{}) (*statusAnswer, error) { return &statusAnswer{statusJSON{"ok"}}, nil })
	handle(r, route{
		id: "get-readiness", method: http.MethodGet, path: "/readyz", tag: tagHealth, need: anybody,
		timeout: 2 * time.Second, summary: "Whether requests can be served",
		description: "Otherwise 503, with the code unavailable.",
	}, s.getReadiness)
}

func (s *server) getReadiness(ctx context.Context, _ *struct{}) (*statusAnswer, error) {
	if err := s.Prober.Ready(ctx); err != nil {
		s.log.WarnContext(ctx, "not ready", "error", err)
		return nil, problem(Unavailable, "")
	}
	return &statusAnswer{statusJSON{"ok"}}, nil
}
