package store

import "github.com/jackc/pgx/v5/pgxpool"

// Hot is the pool of the hot transactions.
func (s *Store) Hot() *pgxpool.Pool { return s.hot }
