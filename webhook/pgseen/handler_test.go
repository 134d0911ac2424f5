package pgseen_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

// receiver is a process that books what arrives.
func (w *world) receiver(t testing.TB, pool int, handle func(context.Context, *sql.Tx, webhook.Message) error) http.Handler {
	t.Helper()
	return w.receiverOf(t, pool, w.store(t, pool).InTx(handle))
}

func (w *world) receiverOf(t testing.TB, pool int, handle func(context.Context, webhook.Message) error) http.Handler {
	t.Helper()
	verifier, err := webhook.NewVerifier([]webhook.Secret{secret})
	require.NoError(t, err)
	return webhook.Handler(verifier, handle, webhook.WithSeen(w.store(t, pool)),
		webhook.WithObserver(func(context.Context, webhook.Observation) {}))
}

var secret = webhook.GenerateSecret()

// post delivers a webhook, as a sender does, and returns the answer's status.
func post(t testing.TB, receiver http.Handler, id string) int {
	t.Helper()
	now, body := time.Now(), `{"type":"invoice.paid"}`
	signature, err := webhook.Sign(id, now, []byte(body), secret)
	if err != nil {
		t.Error(err)
		return 0
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set(webhook.HeaderID, id)
	r.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(webhook.HeaderSignature, signature)
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, r)
	return answer.Code
}

func booking(_ context.Context, tx *sql.Tx, m webhook.Message) error {
	_, err := tx.Exec(`INSERT INTO receiver.payments VALUES ($1)`, m.ID)
	return err
}

// 24 senders with one event, at two processes, each until it is told that all is
// well: it is booked once.
func TestInTx_BooksOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	receivers := [2]http.Handler{w.receiver(t, 0, booking), w.receiver(t, 1, booking)}
	var busy atomic.Int32
	all(24, func(i int) {
		for {
			switch status := post(t, receivers[i%2], "evt_1"); status {
			case http.StatusOK:
				return
			case http.StatusServiceUnavailable:
				busy.Add(1)
			default:
				t.Errorf("status %d", status)
				return
			}
		}
	})
	require.Equal(t, 1, w.payments(t, "evt_1"))
	require.Equal(t, 1, w.count(t, `SELECT count(*) FROM receiver.webhook_seen WHERE handled`))
}

// Whatever goes wrong in the middle, the next attempt finds nothing done.
func TestInTx_AFailureUndoesAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	for name, fail := range map[string]func(ctx context.Context, tx *sql.Tx) error{
		"error": func(context.Context, *sql.Tx) error { return errors.New("no such invoice") },
		"panic": func(context.Context, *sql.Tx) error { panic(http.ErrAbortHandler) },
		"SQL":   func(_ context.Context, tx *sql.Tx) error { _, err := tx.Exec(`SELECT 1/0`); return err },
		"swallowed SQL": func(_ context.Context, tx *sql.Tx) error {
			_, _ = tx.Exec(`SELECT 1/0`)
			return nil
		},
		"connection": func(_ context.Context, tx *sql.Tx) error {
			_, _ = tx.Exec(`SELECT pg_terminate_backend(pg_backend_pid())`)
			return nil
		},
		"rolled back": func(_ context.Context, tx *sql.Tx) error { return tx.Rollback() },
	} {
		w.exec(t, `TRUNCATE receiver.webhook_seen, receiver.payments`)
		failing := w.receiver(t, 0, func(ctx context.Context, tx *sql.Tx, m webhook.Message) error {
			require.NoError(t, booking(ctx, tx, m))
			return fail(ctx, tx)
		})
		if name == "panic" {
			require.Panics(t, func() { post(t, failing, "evt_1") })
		} else {
			require.Equal(t, http.StatusInternalServerError, post(t, failing, "evt_1"), name)
		}
		require.Zero(t, w.payments(t, "evt_1"), name)
		require.Equal(t, http.StatusOK, post(t, w.receiver(t, 1, booking), "evt_1"), name)
		require.Equal(t, 1, w.payments(t, "evt_1"), name)
	}
}

// A function that says that all is well although its transaction did not commit
// is not believed; one that commits and then fails is not asked again.
func TestKeepTx_TheCommitDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	wrong := errors.New("afterwards")
	for _, c := range []struct {
		commits     bool
		returns     error
		first, next int
	}{
		{false, nil, 500, 200}, {true, wrong, 500, 200}, {true, nil, 200, 200},
	} {
		w.exec(t, `TRUNCATE receiver.webhook_seen, receiver.payments`)
		receiver := w.receiverOf(t, 0, func(ctx context.Context, m webhook.Message) error {
			tx, err := w.pools[0].BeginTx(ctx, nil)
			require.NoError(t, err)
			defer func() { _ = tx.Rollback() }()
			require.NoError(t, pgseen.KeepTx(ctx, tx))
			require.NoError(t, booking(ctx, tx, m))
			if c.commits {
				require.NoError(t, tx.Commit())
			}
			return c.returns
		})
		require.Equal(t, c.first, post(t, receiver, "evt_1"))
		require.Equal(t, c.next, post(t, w.receiver(t, 1, booking), "evt_1"))
		require.Equal(t, 1, w.payments(t, "evt_1"))
	}
}

// A process that dies right after the commit has handled the webhook.
func TestInTx_ACrashAfterTheCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	dying := w.receiverOf(t, 0, func(ctx context.Context, m webhook.Message) error {
		require.NoError(t, w.store(t, 0).InTx(booking)(ctx, m))
		panic(http.ErrAbortHandler)
	})
	require.Panics(t, func() { post(t, dying, "evt_1") })
	require.Equal(t, http.StatusOK, post(t, w.receiver(t, 1, booking), "evt_1"))
	require.Equal(t, 1, w.payments(t, "evt_1"))
}

// A sender that hangs up takes back what it had asked for.
func TestInTx_TheSenderHangsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	called := false
	receiver := w.receiverOf(t, 0, func(ctx context.Context, m webhook.Message) error {
		ctx, hangUp := context.WithCancel(ctx)
		return w.store(t, 0).InTx(func(ctx context.Context, tx *sql.Tx, m webhook.Message) error {
			called = true
			require.NoError(t, booking(ctx, tx, m))
			hangUp()
			return nil
		})(ctx, m)
	})
	require.Equal(t, http.StatusInternalServerError, post(t, receiver, "evt_1"))
	require.True(t, called)
	require.Equal(t, http.StatusOK, post(t, w.receiver(t, 1, booking), "evt_1"))
	require.Equal(t, 1, w.payments(t, "evt_1"))
}

func TestHandler_TheStoreIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	receiver := w.receiver(t, 0, booking)
	w.exec(t, `ALTER TABLE receiver.webhook_seen RENAME TO elsewhere`)
	require.Equal(t, http.StatusServiceUnavailable, post(t, receiver, "evt_1"))
	w.exec(t, `ALTER TABLE receiver.elsewhere RENAME TO webhook_seen`)
	require.Equal(t, http.StatusOK, post(t, receiver, "evt_1"))
}
