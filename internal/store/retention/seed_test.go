package retention

import (
	"crypto/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// world is a database with days long ago.
type world struct {
	*testing.T
	dsn      string
	store    *store.Store
	keeper   *Keeper
	endpoint delivery.ID
	tenant   string
}

// newWorld has partitions from so many days ago on.
func newWorld(t *testing.T, daysAgo ...int) *world {
	t.Helper()
	w := &world{T: t, dsn: pgtest.DSN(t), tenant: "acme"}
	w.store = pgtest.OpenDSN(t, w.dsn)
	var err error
	w.keeper, err = New(w.store, Options{})
	require.NoError(t, err)
	w.keeper.firstPause = 10 * time.Millisecond
	shard := delivery.ShardOf(w.tenant)
	w.endpoint = delivery.NewID(shard, time.Now(), rand.Reader)
	w.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, $2)`, shard, w.tenant)
	w.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) VALUES ($1, $2, $3, 'https://acme.example/', 'standard')`,
		shard, w.endpoint, w.tenant)
	w.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit, ready_at)
		VALUES ($1, $2, $3, 50, 60, 50, now())`, shard, w.endpoint, w.tenant)
	for _, days := range daysAgo {
		w.makeDay(days)
	}
	return w
}

func (w *world) exec(sql string, parameters ...any) {
	w.Helper()
	_, err := w.store.Pool().Exec(w.Context(), sql, parameters...)
	require.NoError(w, err)
}

func (w *world) count(sql string, parameters ...any) (n int) {
	w.Helper()
	require.NoError(w, w.store.Pool().QueryRow(w.Context(), sql, parameters...).Scan(&n))
	return n
}

// noon of the day so many days ago.
func noon(daysAgo int) time.Time {
	return time.Now().UTC().Truncate(day).AddDate(0, 0, -daysAgo).Add(12 * time.Hour)
}

func dayAt(daysAgo int) partitions {
	return partitions{begin: noon(daysAgo).Truncate(day), tables: []string{events, renderings, deliveries}}
}

// makeDay makes the partitions of a day, as store.CreatePartitions did then.
func (w *world) makeDay(daysAgo int) {
	w.Helper()
	d := dayAt(daysAgo)
	for _, table := range []string{events, renderings, deliveries, attempts} {
		w.exec(`CREATE TABLE malote.` + d.of(table) + ` (LIKE malote.` + table + ` INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
			ALTER TABLE malote.` + table + ` ATTACH PARTITION malote.` + d.of(table) +
			` FOR VALUES FROM ('` + d.from().String() + `') TO ('` + d.to().String() + `')`)
	}
}

// partitionsOf lists the tables that a day has.
func (w *world) partitionsOf(daysAgo int) []string {
	w.Helper()
	rows, err := w.store.Pool().Query(w.Context(), `SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE c.relkind = 'r' AND c.relname LIKE '%\_' || $1 ORDER BY 1`, noon(daysAgo).Format(dayLayout))
	require.NoError(w, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w, err)
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], "_"+noon(daysAgo).Format(dayLayout))
	}
	return names
}

// strays counts tables that belong to no parent, such as those of a broken run.
func (w *world) strays() int {
	return w.count(`SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'malote' AND c.relkind = 'r' AND c.relname ~ '_\d{8}' AND NOT c.relispartition`)
}

// row is a delivery with its event, and attempts made so many days after it.
type row struct {
	at       time.Time
	state    delivery.State
	key      string
	keyUntil time.Time
	attempts []int
}

type seeded struct {
	event, delivery delivery.ID
	tokens          []delivery.ID
}

func (w *world) add(r row) seeded {
	w.Helper()
	shard := delivery.ShardOf(w.tenant)
	s := seeded{event: delivery.NewID(shard, r.at, rand.Reader)}
	s.delivery = delivery.NewDeliveryID(s.event, rand.Reader)
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, idempotency_key, occurred_at, accepted_at)
		VALUES ($1, $2, $3, 'a.b', 'application/json', $4, nullif($5, ''), $6, $6)`,
		shard, s.event, w.tenant, []byte(s.event.String()), r.key, r.at)
	batch.Queue(`INSERT INTO malote.event_renderings (shard, event_id, rendering, body) VALUES ($1, $2, 1, $3)`,
		shard, s.event, []byte("1"+s.event.String()))
	if r.key != "" {
		batch.Queue(`INSERT INTO malote.event_keys (shard, scope, key, id, fingerprint, expires_at) VALUES ($1, 'publish', $2, $3, '', $4)`,
			shard, r.key, s.event, r.keyUntil)
	}
	switch {
	case r.state == "":
	case r.state.Open():
		batch.Queue(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, attempt_count, rendering,
			next_attempt_at, cycle_started_at) VALUES ($1, $2, $3, $4, $5, $6, 'schedule', $7, 1, $8, $8)`,
			shard, s.delivery, w.endpoint, s.event, w.tenant, r.state, len(r.attempts), r.at)
	default:
		batch.Queue(`INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, trigger, attempt_count, rendering, closed_at)
			VALUES ($1, $2, $3, $4, $5, $6, 'schedule', $7, 1, $8)`,
			shard, s.delivery, w.endpoint, s.event, w.tenant, r.state, len(r.attempts), r.at)
	}
	for i, after := range r.attempts {
		token := delivery.NewID(0, r.at.AddDate(0, 0, after), rand.Reader)
		s.tokens = append(s.tokens, token)
		batch.Queue(`INSERT INTO malote.attempts (shard, delivery_id, claim_token, number, trigger, scheduled_at, started_at, duration_ms)
			VALUES ($1, $2, $3, $4, 'schedule', $5, $5, 7)`, shard, s.delivery, token, i+1, r.at)
	}
	require.NoError(w, w.store.Pool().SendBatch(w.Context(), batch).Close())
	return s
}

func (w *world) retire() Removed {
	w.Helper()
	removed, err := w.keeper.Retire(w.Context(), time.Now())
	require.NoError(w, err)
	require.Zero(w, w.strays())
	return removed
}

// tomorrow makes every day due again.
func (w *world) tomorrow() {
	w.Helper()
	all, err := w.keeper.existing(w.Context())
	require.NoError(w, err)
	for _, d := range all {
		if !d.looked.IsZero() {
			w.exec(d.mark(d.looked.Add(-day)))
		}
	}
}

// forgetLooks makes every day due as if nobody had looked at it yet: then it is made
// anew however little of it is not needed.
func (w *world) forgetLooks() {
	w.Helper()
	all, err := w.keeper.existing(w.Context())
	require.NoError(w, err)
	for _, d := range all {
		w.exec(`COMMENT ON TABLE malote.` + d.of(d.tables[0]) + ` IS NULL`)
	}
}

// contents are the ids that each table has.
type contents map[string][]delivery.ID

func (w *world) contents() contents {
	w.Helper()
	found := make(contents)
	for table, sql := range map[string]string{
		events: `SELECT id FROM malote.events`, renderings: `SELECT event_id FROM malote.event_renderings`,
		deliveries: `SELECT id FROM malote.deliveries`, attempts: `SELECT claim_token FROM malote.attempts`,
		"queue": `SELECT id FROM malote.queue`,
	} {
		rows, err := w.store.Pool().Query(w.Context(), sql)
		require.NoError(w, err)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
		require.NoError(w, err)
		found[table] = sorted(ids)
	}
	return found
}

func sorted(ids []delivery.ID) []delivery.ID {
	slices.SortFunc(ids, func(a, b delivery.ID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
