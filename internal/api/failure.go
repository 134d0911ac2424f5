package api

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// problemOf says what an error of a handler or a store means to the client.
// What nobody foresaw is logged under a request id and told as Internal.
func (s *server) problemOf(ctx context.Context, operation string, err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if p := problemOfPublish(err); p != nil {
		return p
	}
	switch code := s.codeOf(ctx, err); code {
	case Internal:
		return s.internal(ctx, operation, err)
	case Unavailable:
		s.log.WarnContext(ctx, "storage is unavailable", "operation", operation, "error", err)
		return problem(Unavailable, "")
	default:
		return problem(code, "")
	}
}

func (s *server) codeOf(ctx context.Context, err error) Code {
	switch {
	case errors.Is(err, delivery.ErrUnknownTenant):
		return UnknownTenant
	case errors.Is(err, delivery.ErrKeyReused):
		return IdempotencyKeyReused
	case errors.Is(err, publish.ErrStopped):
		return Unavailable
	}
	if code := s.translate(err); code.Status() != 0 {
		return code
	}
	if _, isNetwork := errors.AsType[net.Error](err); isNetwork || ctx.Err() != nil {
		return Unavailable
	}
	return Internal
}

// internal keeps the cause to the log; the client gets the name under which it
// stands there.
func (s *server) internal(ctx context.Context, operation string, cause any) *Problem {
	p := problem(Internal, "")
	p.RequestID = "req_" + rand.Text()
	s.log.LogAttrs(ctx, slog.LevelError, "request failed",
		slog.String("request_id", p.RequestID), slog.String("operation", operation), slog.Any("error", cause))
	return p
}

// problemOfPublish tells the refusals of package publish, and of which event of
// a batch they speak; nil: err is none of them.
func problemOfPublish(err error) *Problem {
	if invalid, ok := errors.AsType[*publish.InvalidError](err); ok {
		return fault(string(invalid.Field), "%s", invalid.Reason).at(invalid.Index)
	}
	if large, ok := errors.AsType[*publish.TooLargeError](err); ok {
		return problem(BodyTooLarge, "The event's body has %d bytes and may have at most %d: send less, or a link to the data.",
			large.Size, large.Limit).at(large.Index)
	}
	refused, ok := errors.AsType[*publish.RefusedError](err)
	if !ok {
		return nil
	}
	var code Code
	switch {
	case errors.Is(refused, delivery.ErrUnknownTenant):
		code = UnknownTenant
	case errors.Is(refused, delivery.ErrUnknownEndpoint):
		code = UnknownEndpoint
	case errors.Is(refused, delivery.ErrKeyReused):
		code = IdempotencyKeyReused
	default:
		return nil
	}
	return problem(code, "").at(refused.Index)
}

// at says which event of a batch the problem is about.
func (p *Problem) at(index int) *Problem {
	p.Index = &index
	return p
}
