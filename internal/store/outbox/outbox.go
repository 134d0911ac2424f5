package outbox

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Row is one call of a publish function that was committed.
type Row struct {
	Position int64
	ID       string // the UUID that the function returned
	Tenant   string
	Type     string
	// ContentType is nil where Body is the data of an envelope.
	ContentType    *string
	Body           []byte
	IdempotencyKey string
	CoalesceKey    string
	EntityVersion  string
	ExternalID     string
	OccurredAt     *time.Time
	EndpointIDs    []string
	WrittenAt      time.Time // on the clock of the outbox's database
}

// Outbox takes rows out of one database. It has one connection, made when it is
// needed and dropped after any error, and is for one goroutine.
type Outbox struct {
	dsn  string
	conn *pgx.Conn
}

// New connects to nothing yet. Whoever has used it must close it.
func New(dsn string) *Outbox { return &Outbox{dsn: dsn} }

// Close drops the connection.
func (o *Outbox) Close() { o.drop() }

func (o *Outbox) drop() {
	if o.conn != nil {
		closeQuietly(o.conn)
		o.conn = nil
	}
}

// connected checks the version on every new connection: an outbox may be
// installed anew while a relay runs.
func (o *Outbox) connected(ctx context.Context) (*pgx.Conn, error) {
	if o.conn != nil {
		return o.conn, nil
	}
	conn, err := connect(ctx, o.dsn)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(ctx, conn); err != nil {
		closeQuietly(conn)
		return nil, err
	}
	o.conn = conn
	return conn, nil
}

// Batch is some rows that nobody else has until it is settled or released, or
// the connection ends. Exactly one of both must be called.
type Batch struct {
	Rows   []Row
	outbox *Outbox
	tx     pgx.Tx
}

// Take takes up to rows rows above a position, of at most bytes bytes together;
// one of more goes alone. Rows of transactions that are not committed, and those
// that somebody else has taken, are passed by and hold nothing up. A batch
// without rows has ended already. The rows are in the order of their positions.
// Rows that nobody could read, or hold in memory, are put among the refused instead.
func (o *Outbox) Take(ctx context.Context, above int64, rows, bytes int) (*Batch, error) {
	conn, err := o.connected(ctx)
	if err != nil {
		return nil, err
	}
	batch, err := o.take(ctx, conn, above, rows, bytes)
	if err != nil {
		o.drop()
		return nil, failed("taking rows of the outbox", err)
	}
	return batch, nil
}

func (o *Outbox) take(ctx context.Context, conn *pgx.Conn, above int64, rows, bytes int) (*Batch, error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	result, _ := tx.Query(ctx, takeSQL, above, rows, bytes) // its error is the rows'
	taken, err := pgx.CollectRows(result, scanRow)
	if err != nil {
		return nil, err // the connection is dropped, and the transaction with it
	}
	batch := &Batch{Rows: taken, outbox: o, tx: tx}
	if len(taken) == 0 {
		return batch, tx.Commit(ctx) // rows may have been put aside unseen
	}
	return batch, nil
}

func scanRow(result pgx.CollectableRow) (row Row, err error) {
	err = result.Scan(&row.Position, &row.ID, &row.Tenant, &row.Type, &row.ContentType, &row.Body,
		&row.IdempotencyKey, &row.CoalesceKey, &row.EntityVersion, &row.ExternalID,
		&row.OccurredAt, &row.EndpointIDs, &row.WrittenAt)
	return row, err
}

// Refusal is a row that cannot be carried, by its place in the batch.
type Refusal struct {
	Index  int
	Reason string // for people; what to do about it
}

// Settle ends the batch: its rows are gone from the outbox, those refused kept
// aside. It must be called when all others are safe elsewhere; when it fails, or
// the process dies before it, they come again.
//
// The commit need not be on disk when it returns: what a crash of the server
// undoes is carried again and recognised by its id.
func (b *Batch) Settle(ctx context.Context, refusals []Refusal) error {
	err := b.settle(ctx, refusals)
	if err != nil {
		b.outbox.drop()
		return failed("settling rows of the outbox", err)
	}
	return nil
}

func (b *Batch) settle(ctx context.Context, refusals []Refusal) error {
	work := &pgx.Batch{}
	for _, refusal := range refusals {
		row := b.Rows[refusal.Index]
		work.Queue(refuseSQL, row.ID, row.Tenant, row.Type, row.ContentType, row.Body,
			row.IdempotencyKey, row.CoalesceKey, row.EntityVersion, row.ExternalID,
			row.OccurredAt, row.EndpointIDs, row.WrittenAt, b.outbox.writable(refusal.Reason))
	}
	if len(refusals) == 0 { // what was refused is nowhere else
		work.Queue(`SELECT set_config('synchronous_commit', 'off', true)`)
	}
	if err := b.tx.SendBatch(ctx, work).Close(); err != nil {
		return err
	}
	return b.tx.Commit(ctx)
}

// longestReason is what is kept of one, in bytes.
const longestReason = 1024

// writable is a text as any database can hold it: short, and, where the encoding
// of an application's is not UTF-8, in ASCII.
func (o *Outbox) writable(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
	if o.conn.PgConn().ParameterStatus("server_encoding") != "UTF8" {
		text = strings.Trim(strconv.QuoteToASCII(strings.ReplaceAll(text, "…", "...")), `"`)
	}
	if len(text) > longestReason {
		text = strings.ToValidUTF8(text[:longestReason], "")
	}
	return text
}

// Release gives the rows back: nobody has them any more.
func (b *Batch) Release(ctx context.Context) {
	if err := b.tx.Rollback(ctx); err != nil {
		b.outbox.drop() // which gives them back as well
	}
}
