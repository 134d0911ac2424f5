package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Hot is the pool of the hot transactions.
func (s *Store) Hot() *pgxpool.Pool { return s.hot }

// Trace lets a tracer see all hot statements from now on.
func (s *Store) Trace(ctx context.Context, tracer pgx.QueryTracer) error {
	config := s.hot.Config()
	config.ConnConfig.Tracer = tracer
	s.hot.Close()
	var err error
	s.hot, err = pgxpool.NewWithConfig(ctx, config)
	return err
}
