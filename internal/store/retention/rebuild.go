package retention

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
)

// rebuilt is a new table with what is kept of a partition.
type rebuilt struct {
	day   partitions
	table string
	kept  int64
}

func (r rebuilt) partition() string { return r.day.of(r.table) }
func (r rebuilt) name() string      { return r.partition() + "_kept" }

// rebuild makes the new table, outside of the parent, and copies into it what a
// query finds. The check lets the table be attached without being read.
//
// What is copied is frozen: visible to everybody, also to readers whose snapshot
// is older than this transaction. Without that, a reader who waits for the
// exchange would find the day empty.
func (c *change) rebuild(ctx context.Context, from *pgx.Conn, d partitions, table string, keep selection) (rebuilt, error) {
	r := rebuilt{day: d, table: table}
	columns, err := columnsOf(ctx, from, table)
	if err != nil {
		return r, err
	}
	err = c.exec(ctx, fmt.Sprintf(`CREATE TABLE malote.%[1]s (LIKE malote.%[2]s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES,
		CONSTRAINT of_its_day CHECK (%[3]s >= '%[4]s' AND %[3]s < '%[5]s'))`, r.name(), table, keyColumn[table], d.from(), d.to()))
	if err != nil {
		return r, fmt.Errorf("making %s: %w", r.name(), orBusy(err))
	}
	source := "COPY (" + keep.columns(columns) + ") TO STDOUT (FORMAT binary)"
	target := fmt.Sprintf("COPY malote.%s (%s) %s STDIN (FORMAT binary, FREEZE)", r.name(), strings.Join(columns, ", "), "FROM")
	r.kept, err = pipe(ctx, from.PgConn(), source, c.conn.PgConn(), target)
	if err != nil {
		return r, fmt.Errorf("copying into %s: %w", r.name(), err)
	}
	return r, nil
}

// exchange are the statements that put the new table in the partition's place.
func (r rebuilt) exchange() string {
	return fmt.Sprintf(`DROP TABLE malote.%[1]s; ALTER TABLE malote.%[2]s RENAME TO %[1]s;
		ALTER TABLE malote.%[3]s ATTACH PARTITION malote.%[1]s FOR VALUES FROM ('%[4]s') TO ('%[5]s');
		ALTER TABLE malote.%[1]s DROP CONSTRAINT of_its_day; `,
		r.partition(), r.name(), r.table, r.day.from(), r.day.to())
}

// pipe copies from one connection to another, and says how many rows.
func pipe(ctx context.Context, from *pgconn.PgConn, source string, to *pgconn.PgConn, target string) (int64, error) {
	reader, writer := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := from.CopyTo(ctx, writer, source)
		_ = writer.CloseWithError(err) // nil: it is the end of the data
		sent <- err
	}()
	tag, err := to.CopyFrom(ctx, reader, target)
	_ = reader.CloseWithError(err)
	if sendErr := <-sent; sendErr != nil {
		return 0, fmt.Errorf("reading: %w", sendErr)
	}
	return tag.RowsAffected(), err
}

// columnsOf are a table's columns as the database has them: a list of our own
// would lose what a migration adds.
func columnsOf(ctx context.Context, conn *pgx.Conn, table string) ([]string, error) {
	rows, _ := conn.Query(ctx, `SELECT quote_ident(a.attname) FROM pg_attribute a
		JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'malote' AND c.relname = $1 AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attnum`, table)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("reading the columns of %s: %w", table, err)
	}
	return columns, nil
}

// selection is a query that says what is kept, but for what of it. Its parameters
// are ids, of ours.
type selection string

func newSelection(sql string, d partitions, keys []delivery.ID) selection {
	shards, ids := make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		shards[i], ids[i] = fmt.Sprint(key.Shard()), key.String()
	}
	return selection(strings.NewReplacer(
		"{from}", d.from().String(), "{to}", d.to().String(),
		"{latest}", delivery.FloorID(d.begin.Add(day+clockSkew)).String(),
		"{key_shards}", "{"+strings.Join(shards, ",")+"}", "{key_events}", "{"+strings.Join(ids, ",")+"}",
	).Replace(sql))
}

// columns are read of the table t.
func (s selection) columns(names []string) string {
	qualified := slices.Clone(names)
	for i := range qualified {
		qualified[i] = "t." + qualified[i]
	}
	return strings.Replace(string(s), "{columns}", strings.Join(qualified, ", "), 1)
}

func (s selection) count(ctx context.Context, conn *pgx.Conn) (n int64, err error) {
	sql := strings.Replace(string(s), "{columns}", "count(*)", 1)
	err = conn.QueryRow(ctx, sql, pgx.QueryExecModeExec).Scan(&n)
	return n, err
}

// reader is a connection to read from while another one is in a change. Between
// its transactions it holds no lock that would be in the way of an exchange.
type reader struct{ conn *pgxpool.Conn }

func (k *Keeper) withReader(ctx context.Context, do func(reader) error) error {
	return k.store.Pool().AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return do(reader{conn}) })
}

// in runs do in a transaction. Locks are waited for as briefly as the day's: whoever
// has a parent may himself be waiting for the day, which the change has locked. The
// server cannot see that the change waits for this reader, so nothing else would
// end that.
func (r reader) in(ctx context.Context, do func(*pgx.Conn) error) error {
	begin := pgx.TxOptions{BeginQuery: fmt.Sprintf("BEGIN; %s; SET LOCAL lock_timeout = %d", within(large), dayPatience.Milliseconds())}
	return orBusy(pgx.BeginTxFunc(ctx, r.conn, begin, func(tx pgx.Tx) error { return do(tx.Conn()) }))
}
