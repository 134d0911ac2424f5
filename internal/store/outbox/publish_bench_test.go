package outbox_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/outbox"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// What publish() costs beside a bare insert of the same row into a table alike.
func BenchmarkPublish(b *testing.B) {
	const row = `'{"invoice": 12345678, "customer": "abcdefghijklmnopqrstuvwxyz", "lines": [{"sku": "A-1", "n": 2}, {"sku": "B-2", "n": 1}]}'::jsonb`
	statements := map[string]string{
		"publish": `SELECT malote.publish('acme', 'invoice.paid', ` + row + `)`,
		"bare": `INSERT INTO public.bare (id, tenant, type, body, written_at)
			VALUES (gen_random_uuid(), 'acme', 'invoice.paid', convert_to((` + row + `)::text, 'UTF8'), clock_timestamp())`,
	}
	ways := map[string]func(b *testing.B, conn *pgx.Conn, statement string, n int){
		"in the server": inServer, "100 in a transaction": inHundreds, "each committed": eachCommitted,
	}
	for way, run := range ways {
		for name, statement := range statements {
			b.Run(way+"/"+name, func(b *testing.B) {
				dsn := pgtest.EmptyDSN(b)
				_, err := outbox.Install(b.Context(), dsn)
				require.NoError(b, err)
				conn, err := pgx.Connect(b.Context(), dsn)
				require.NoError(b, err)
				defer conn.Close(context.Background()) //nolint:errcheck // the benchmark is over
				_, err = conn.Exec(b.Context(), `CREATE TABLE public.bare (LIKE malote.outbox INCLUDING ALL)`)
				require.NoError(b, err)
				run(b, conn, statement, 200) // plans are made
				b.ResetTimer()
				run(b, conn, statement, b.N)
			})
		}
	}
}

func inServer(b *testing.B, conn *pgx.Conn, statement string, n int) {
	b.Helper()
	perform := statement
	if statement[0] == 'S' {
		perform = "PERFORM" + statement[len("SELECT"):]
	}
	_, err := conn.Exec(b.Context(), `SELECT set_config('bench.n', $1::int::text, false)`, n)
	require.NoError(b, err)
	_, err = conn.Exec(b.Context(), `DO $do$ BEGIN FOR i IN 1..current_setting('bench.n')::int LOOP `+perform+`; END LOOP; END $do$`)
	require.NoError(b, err)
}

func inHundreds(b *testing.B, conn *pgx.Conn, statement string, n int) {
	b.Helper()
	for done := 0; done < n; {
		require.NoError(b, pgx.BeginFunc(b.Context(), conn, func(tx pgx.Tx) error {
			for i := 0; i < 100 && done < n; i++ {
				if _, err := tx.Exec(b.Context(), statement); err != nil {
					return err
				}
				done++
			}
			return nil
		}))
	}
}

func eachCommitted(b *testing.B, conn *pgx.Conn, statement string, n int) {
	b.Helper()
	for range n {
		_, err := conn.Exec(b.Context(), statement)
		require.NoError(b, err)
	}
}
