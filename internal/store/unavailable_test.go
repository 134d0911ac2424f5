package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store"
)

// What a client should come again for, and what it should not.
func TestIsUnavailable(t *testing.T) {
	t.Parallel()
	away := []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed, context.DeadlineExceeded,
		&net.OpError{Op: "read", Err: syscall.ECONNRESET}, &net.OpError{Op: "write", Err: syscall.EPIPE},
		&pgconn.ConnectError{}, &pgconn.PgError{Code: "57P01"}, &pgconn.PgError{Code: "57P03"}, &pgconn.PgError{Code: "53300"},
		&pgconn.PgError{Code: "53100"}, &pgconn.PgError{Code: "40P01"}, &pgconn.PgError{Code: "25006"}, &pgconn.PgError{Code: "08006"},
	}
	for _, err := range away {
		require.True(t, store.IsUnavailable(fmt.Errorf("publishing: %w", err)), "%T %v", err, err)
	}
	for _, err := range []error{nil, errors.New("a bug"), &pgconn.PgError{Code: "42601"}, &pgconn.PgError{Code: "23505"}, &pgconn.PgError{Code: "22021"}, context.Canceled, &pgconn.PgError{}} {
		require.False(t, store.IsUnavailable(err), "%v", err)
	}
}

func TestIsRefusedData(t *testing.T) {
	t.Parallel()
	for code, refused := range map[string]bool{"22P05": true, "22021": true, "54000": true, "57014": false, "55P03": false, "42703": false, "XX000": false, "23514": false} {
		require.Equal(t, refused, store.IsRefusedData(fmt.Errorf("publishing: %w", &pgconn.PgError{Code: code})), code)
	}
	require.True(t, store.IsRefusedData(&pgconn.PgError{Code: "23514", ConstraintName: "c"}))
	require.False(t, store.IsRefusedData(&pgconn.PgError{Code: "23505", ConstraintName: "c"}))
	require.False(t, store.IsRefusedData(errors.New("away")))
}
