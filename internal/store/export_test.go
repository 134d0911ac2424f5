package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
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

// ForgetEvents makes claims read what they send, as those of other processes do.
func (s *Store) ForgetEvents() { s.recent = newRecentEvents(recentBytes) }

// RecentEvents is what a process remembers of its publishes, within so many bytes.
type RecentEvents = recentEvents

// NewRecentEvents makes an empty one.
var NewRecentEvents = newRecentEvents

// Put is put.
func (r *recentEvents) Put(event delivery.Event, bodies [][]byte) { r.put(event, bodies) }

// Get is get.
func (r *recentEvents) Get(id delivery.ID) (delivery.Event, bool) { return r.get(id, 0) }

// ClaimWithin claims with nothing handed over.
func (s *Store) ClaimWithin(ctx context.Context, n int, room delivery.Room) (delivery.Claimed, error) {
	return s.ClaimHanded(ctx, n, room, nil)
}
