package retention

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How long the locks of one day's partitions are waited for, and how long those
// of the parents: everybody who comes meanwhile waits too.
const (
	dayPatience    = 200 * time.Millisecond
	parentPatience = 50 * time.Millisecond
)

// How long the server lets one statement run, and a connection wait in its
// transaction for what another one does, before it ends it. What is shorter is the
// store's, for who holds up others.
const (
	// large is for what reads, copies or removes much of a day, and holds up nobody
	// who is in time. It is longer than a run may take: the run's context ends it.
	large = time.Hour
	// small is for what holds up completions and replays, should this process stall.
	small = 10 * time.Second
)

func within(bound time.Duration) string {
	return fmt.Sprintf("SET LOCAL statement_timeout = %[1]d; SET LOCAL idle_in_transaction_session_timeout = %[1]d", bound.Milliseconds())
}

// reading runs do in one snapshot. Counting a day may take a while, and disturbs
// nobody.
func (k *Keeper) reading(ctx context.Context, do func(pgx.Tx) error) error {
	snapshot := pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + within(large)}
	return pgx.BeginTxFunc(ctx, k.store.Pool(), snapshot, do)
}

// removing runs one statement that removes rows, and says of how many. Locks of
// rows are waited for while a transaction that has them may idle.
func (k *Keeper) removing(ctx context.Context, sql string, parameters ...any) (rows int64, err error) {
	begin := pgx.TxOptions{BeginQuery: fmt.Sprintf("BEGIN; %s; SET LOCAL lock_timeout = %d", within(large), small.Milliseconds())}
	err = pgx.BeginTxFunc(ctx, k.store.Pool(), begin, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, parameters...)...)
		rows = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, orBusy(err)
	}
	return rows, nil
}

// change is one transaction that changes partitions. It ends with exchange, or is
// rolled back.
type change struct {
	conn       *pgx.Conn
	firstPause time.Duration
}

// changing makes a change that locks partitions of one day.
func (k *Keeper) changing(ctx context.Context, d partitions, lock dayLock, do func(*change) error) error {
	return k.store.Pool().AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		c := &change{conn: conn.Conn(), firstPause: k.firstPause}
		defer c.abandon(ctx)
		begin := fmt.Sprintf("BEGIN; %s; SET LOCAL lock_timeout = %d", within(lock.bound), dayPatience.Milliseconds())
		for _, table := range d.tables {
			begin += fmt.Sprintf("; LOCK TABLE malote.%s IN %s MODE", d.of(table), lock.mode)
		}
		if err := c.exec(ctx, begin); err != nil {
			return fmt.Errorf("locking the day: %w", orBusy(err))
		}
		return do(c)
	})
}

// dayLock is how a day is locked, and what a statement may take meanwhile.
type dayLock struct {
	mode  string
	bound time.Duration
}

// Others read on in both.
var (
	// withoutWriters lets rows be locked, which only a transaction does that goes on
	// to write. Its connection waits in its transaction while another one counts.
	withoutWriters = dayLock{"SHARE ROW EXCLUSIVE", large}
	// frozen: nobody is in the middle of closing or replaying a delivery of the day.
	frozen = dayLock{"EXCLUSIVE", small}
)

func (c *change) exec(ctx context.Context, statements string) error {
	_, err := c.conn.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol)
	return err
}

// abandon rolls back what was not committed.
func (c *change) abandon(ctx context.Context) {
	if c.conn.IsClosed() || c.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := c.exec(ctx, "ROLLBACK"); err != nil {
		_ = c.conn.Close(ctx) // the server rolls back then
	}
}

// exchange locks the parents alone, runs the statements and commits: all in one
// message, so that no pause of this process or of the network is spent with the
// parents locked. If others use them it tries again, pausing longer each time.
func (c *change) exchange(ctx context.Context, tables []string, statements string, tries int) error {
	message := fmt.Sprintf("SAVEPOINT before; SET LOCAL lock_timeout = %d; ", parentPatience.Milliseconds())
	for _, table := range tables {
		message += fmt.Sprintf("LOCK TABLE ONLY malote.%s IN ACCESS EXCLUSIVE MODE; ", table)
	}
	message += statements + "; COMMIT"
	for try := 1; ; try++ {
		err := orBusy(c.exec(ctx, message))
		if try == tries || !errors.Is(err, ErrBusy) {
			return err
		}
		if err := c.exec(ctx, "ROLLBACK TO SAVEPOINT before"); err != nil {
			return err
		}
		if err := pause(ctx, c.firstPause<<(try-1)); err != nil {
			return err
		}
	}
}

const (
	// firstPause between two tries; each one is twice as long as the one before.
	firstPause = 250 * time.Millisecond
	// patientTries of an exchange, while nobody waits for the day's own locks.
	patientTries = 6
)

// pause waits between half and all of a while.
func pause(ctx context.Context, long time.Duration) error {
	timer := time.NewTimer(long/2 + rand.N(long/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// orBusy recognises that somebody else's locks were in the way, or that the server
// chose between the two of us.
func orBusy(err error) error {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	isLock := ok && (pgErr.Code == "55P03" || pgErr.Code == "40P01") // lock not available, deadlock
	if isLock && !errors.Is(err, ErrBusy) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// whenFree tries what gives up at the first lock that it does not get.
func (k *Keeper) whenFree(ctx context.Context, do func() error) error {
	const tries = 5
	for try := 1; ; try++ {
		err := do()
		if try == tries || !errors.Is(err, ErrBusy) {
			return err
		}
		if err := pause(ctx, k.firstPause<<(try-1)); err != nil {
			return err
		}
	}
}
