package store

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// readOnlyTransaction is what a server in recovery, or made read-only, answers.
const readOnlyTransaction = "25006"

// IsUnavailable recognises a database that is away, starting, full or slow:
// whoever asked should come again. Whether what was asked for took effect is not
// known.
func IsUnavailable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true // the connection broke in the middle
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, broken) {
			return true
		}
	}
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || len(pgErr.Code) != 5 {
		return false
	}
	switch pgErr.Code[:2] {
	case "08", // connection exceptions
		"40", // given up in favour of others, again and again
		"53", // insufficient resources: disk full, too many connections
		"55", // not in the required state: locks not available
		"57", // operator intervention: shutting down, starting, cancelled
		"58": // system error
		return true
	}
	return pgErr.Code == readOnlyTransaction
}

// IsRefusedData recognises what the database will never take, whoever asks and
// whenever: data of a kind that it does not know, that breaks a constraint, or that
// is more than it can hold. Anything else may pass. A missing partition is named
// like a broken constraint, and names none.
func IsRefusedData(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || len(pgErr.Code) != 5 {
		return false
	}
	return pgErr.Code[:2] == "22" || pgErr.Code[:2] == "54" || pgErr.Code[:2] == "23" && pgErr.ConstraintName != "" && pgErr.Code != uniqueViolation
}
