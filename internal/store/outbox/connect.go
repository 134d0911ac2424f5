package outbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// settings bound how long a relay that was paused, or whose machine died, can
// hold rows: the server ends its transaction, and others take them. An application's
// database may have other defaults than ours: texts come in UTF-8, and a stricter
// isolation than taking needs would only make publishers fail.
var settings = map[string]string{
	"application_name":                    "malote-relay",
	"client_encoding":                     "UTF8",
	"default_transaction_isolation":       "read committed",
	"timezone":                            "UTC",
	"idle_in_transaction_session_timeout": "60s",
	"statement_timeout":                   "30s",
	"lock_timeout":                        "5s",
	"tcp_keepalives_idle":                 "30",
	"tcp_keepalives_interval":             "10",
	"tcp_keepalives_count":                "3",
}

// connectTimeout bounds the making of one connection.
const connectTimeout = 5 * time.Second

func connect(ctx context.Context, dsn string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, unreadable(err)
	}
	config.ConnectTimeout = connectTimeout
	for name, value := range settings {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, connecting(err)
	}
	return conn, nil
}

// connectError says in one line why there is no connection; its cause, with all
// the layers that the driver puts around it, is for errors.As.
type connectError struct {
	says  string
	cause error
}

func (e *connectError) Error() string { return e.says }
func (e *connectError) Unwrap() error { return e.cause }

func connecting(err error) error {
	var refusal *pgconn.PgError
	var name *net.DNSError
	var network *net.OpError
	switch {
	case errors.As(err, &refusal):
		return &connectError{says: "the outbox's database refuses the connection: " + refusal.Message, cause: err}
	case errors.As(err, &name):
		return &connectError{says: fmt.Sprintf("the outbox's database is at a host that has no address, %q: %s", name.Name, name.Err), cause: err}
	case errors.As(err, &network) && network.Addr != nil:
		return &connectError{says: fmt.Sprintf("the outbox's database does not answer at %v: %v", network.Addr, network.Err), cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &connectError{says: fmt.Sprintf("the outbox's database did not answer within %v", connectTimeout), cause: err}
	default:
		return &connectError{says: "the outbox's database cannot be reached", cause: err}
	}
}

// closeTimeout bounds saying good-bye to a server that may be away.
const closeTimeout = time.Second

func closeQuietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = conn.Close(ctx) // whether the server heard it changes nothing
}

// failed says what was being done, and what to do where a right is missing.
func failed(doing string, err error) error {
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && refusal.Code == insufficientPrivilege {
		return fmt.Errorf("%s: %w: grant the role what malote outbox install prints", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// SQLSTATEs that we answer to.
const (
	insufficientPrivilege = "42501"
	lockNotAvailable      = "55P03"
)

// ErrNotInstalled says that a database has no outbox.
var ErrNotInstalled = errors.New("there is no outbox in this database: run malote outbox install")

// VersionError says that an outbox is of another version than this program's.
type VersionError struct{ Found, Wanted int64 }

func (e *VersionError) Error() string {
	if e.Found < e.Wanted {
		return fmt.Sprintf("the outbox is of version %d, this program needs %d: run malote outbox install again", e.Found, e.Wanted)
	}
	return fmt.Sprintf("the outbox is of version %d, this program knows %d: use a newer malote", e.Found, e.Wanted)
}

// rowQuerier is a connection or a transaction.
type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func isInstalled(ctx context.Context, q rowQuerier) error {
	var isThere bool
	if err := q.QueryRow(ctx, `SELECT to_regclass('malote.outbox_migrations') IS NOT NULL`).Scan(&isThere); err != nil {
		return failed("looking for the outbox", err)
	}
	if !isThere {
		return ErrNotInstalled
	}
	return nil
}

// version is what is installed.
func version(ctx context.Context, q rowQuerier) (int64, error) {
	if err := isInstalled(ctx, q); err != nil {
		return 0, err
	}
	var found int64
	if err := q.QueryRow(ctx, `SELECT coalesce(max(m.version_id), 0) FROM malote.outbox_migrations AS m WHERE m.is_applied`).Scan(&found); err != nil {
		return 0, failed("reading the outbox's version", err)
	}
	return found, nil
}

func checkVersion(ctx context.Context, q rowQuerier) error {
	found, err := version(ctx, q)
	if err != nil {
		return err
	}
	if found != Newest() {
		return &VersionError{Found: found, Wanted: Newest()}
	}
	return nil
}
