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

// PlanAnew stands before what is planned for the values that it is given.
const PlanAnew = planAnew

// KeepPlansRight does what every hot transaction does when it is time to.
func (s *Store) KeepPlansRight(ctx context.Context, conn *pgx.Conn) error {
	s.plans.looked.Store(0)
	return s.plans.prepare(ctx, conn)
}
