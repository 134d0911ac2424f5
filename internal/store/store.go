package store

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"crypto/rand"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options of Open. The zero value of every field but DSN has a default.
type Options struct {
	DSN string

	// HotConnections bounds the pool of publish, claim and completion; default 8.
	HotConnections int
	// Connections bounds the pool of everything else; default 8.
	Connections int

	// Opener opens what is sealed at rest; without it only unsealed secrets can be
	// used.
	Opener Opener

	Log    *slog.Logger
	Random io.Reader // for ids; default crypto/rand
}

// Opener opens secrets that are sealed at rest. The context is where the value
// belongs; the key's id is what stands beside it.
type Opener interface {
	Open(sealed, context []byte, keyID string) ([]byte, error)
}

// Store holds two pools. Hot statements run on connections whose planner is
// told to use nothing but nested loops over indexes, row by row, and to plan each
// statement once for all values: planning would cost as much as running. As such
// a plan is good only for tables of about the size that it was made for, or
// smaller, it is made again when they grow (plans). What reads a partitioned table
// is planned for its values every time (planAnew), or it would open all
// partitions. All other statements run on ordinary connections.
type Store struct {
	hot     *pgxpool.Pool
	pool    *pgxpool.Pool
	log     *slog.Logger
	random  io.Reader
	opener  Opener
	plans   plans
	tenants *tenantCache
	configs *endpointCache
	recent  *recentEvents
	name    string // tells this process's notifications from others'
}

// Open connects; it fails when the database cannot be reached within ctx.
func Open(ctx context.Context, options Options) (*Store, error) {
	hot, err := openPool(ctx, options.DSN, withDefault(options.HotConnections, 8), hotSettings)
	if err != nil {
		return nil, err
	}
	pool, err := openPool(ctx, options.DSN, withDefault(options.Connections, 8), nil)
	if err != nil {
		hot.Close()
		return nil, err
	}
	s := &Store{hot: hot, pool: pool, log: options.Log, random: options.Random, opener: options.Opener}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	s.name = rand.Text()
	s.tenants = newTenantCache()
	s.configs = newEndpointCache()
	s.recent = newRecentEvents(recentBytes)
	return s, nil
}

// Close waits for connections in use.
func (s *Store) Close() {
	s.hot.Close()
	s.pool.Close()
}

// Pool is the ordinary pool, for this package's sub-packages.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// PoolStat is the state of one pool.
type PoolStat struct {
	Name             string
	InUse, Idle, Max int32
	Waits            int64
	Waited           time.Duration
}

// Pools tells the state of both pools.
func (s *Store) Pools() []PoolStat {
	list := make([]PoolStat, 0, 2)
	for name, pool := range map[string]*pgxpool.Pool{"hot": s.hot, "general": s.pool} {
		stat := pool.Stat()
		list = append(list, PoolStat{
			Name: name, InUse: stat.AcquiredConns(), Idle: stat.IdleConns(), Max: stat.MaxConns(),
			Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(),
		})
	}
	return list
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// commonSettings bound how long a paused or dying process can hold locks that
// others wait for: the server ends its transaction.
var commonSettings = map[string]string{
	"application_name":                    "malote",
	"timezone":                            "UTC",
	"jit":                                 "off", // no statement of ours runs long enough to gain by it
	"idle_in_transaction_session_timeout": "10s",
	"statement_timeout":                   "30s",
}

var hotSettings = map[string]string{
	"plan_cache_mode":   "force_generic_plan",
	"enable_seqscan":    "off",
	"enable_bitmapscan": "off",
	"enable_hashjoin":   "off",
	"enable_mergejoin":  "off",
	"statement_timeout": "10s",
	"lock_timeout":      "5s",
}

func openPool(ctx context.Context, dsn string, size int, settings map[string]string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	config.MaxConns = int32(size)
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.ConnectTimeout = 5 * time.Second
	for _, set := range []map[string]string{commonSettings, settings} {
		for name, value := range set {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerID(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return pool, nil
}

func withDefault(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}
