package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// cannotConnectNow is the SQLSTATE of a server that starts, recovers or stops.
const cannotConnectNow = "57P03"

// connectionURL is understood by pgx and by libpq alike, who both want a space in
// a value as %20 and take a plus sign for itself.
func connectionURL(socketDir, password, database string) string {
	dsn := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(role, password),
		Path:     "/" + database,
		RawQuery: "host=" + strings.ReplaceAll(url.QueryEscape(socketDir), "+", "%20") + "&port=" + port + "&sslmode=disable",
	}
	return dsn.String()
}

// socketPatience bounds the wait for any answer: the server opens its socket
// within moments, before it recovers.
const socketPatience = time.Minute

// awaitReady returns when the server accepts connections and has our database.
// Recovery after a crash may take minutes, so only ctx bounds the wait for a
// server that answers that it is not ready.
func awaitReady(ctx context.Context, socketDir, password string, p *process, log *slog.Logger) error {
	config, err := pgx.ParseConfig(connectionURL(socketDir, password, "postgres"))
	if err != nil {
		return fmt.Errorf("making PostgreSQL's DSN: %w", err)
	}
	config.ConnectTimeout = 5 * time.Second
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	patience := time.NewTimer(5 * time.Second)
	defer patience.Stop()
	answered := time.Now()
	for {
		connection, err := pgx.ConnectConfig(ctx, config)
		if err == nil {
			return errors.Join(ensureDatabase(ctx, connection), connection.Close(ctx))
		}
		refusal, ok := errors.AsType[*pgconn.PgError](err)
		if ok && refusal.Code == cannotConnectNow {
			answered = time.Now()
		} else if ok || time.Since(answered) > socketPatience {
			return fmt.Errorf("connecting to PostgreSQL: %w", err)
		}
		select {
		case <-ticker.C:
		case <-patience.C:
			log.Info("PostgreSQL is still starting; recovery after a crash can take minutes")
		case <-p.exited:
			return errEarlyExit
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errEarlyExit tells Start to look into the log for the reason.
var errEarlyExit = errors.New("PostgreSQL ended before it accepted connections")

func ensureDatabase(ctx context.Context, connection *pgx.Conn) error {
	var exists bool
	err := connection.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", role).Scan(&exists)
	if err == nil && !exists {
		_, err = connection.Exec(ctx, "CREATE DATABASE "+role)
	}
	if err != nil {
		return fmt.Errorf("creating the database %s: %w", role, err)
	}
	return nil
}
