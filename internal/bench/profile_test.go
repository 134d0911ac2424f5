package bench

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestProfile(t *testing.T) {
	program := os.Getenv("BENCH_PROGRAM")
	if program == "" {
		t.Skip()
	}
	ctx := t.Context()
	n, e := 32, 100
	fmt.Sscan(os.Getenv("BENCH_P"), &n)
	fmt.Sscan(os.Getenv("BENCH_E"), &e)
	more := []string{}
	if f := os.Getenv("BENCH_FLIGHT"); f != "" {
		more = append(more, "--max-in-flight", f)
	}
	s, err := openStage(ctx, program, [][]string{nil}, more)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	r, _ := openReceivers(nil)
	defer r.close()
	m := 0
	fmt.Sscan(os.Getenv("BENCH_M"), &m)
	tg, err := s.prepare(ctx, r, e, m)
	if err != nil {
		t.Fatal(err)
	}
	s.admin.Exec(ctx, "create extension pg_stat_statements")
	p := startPublishers(ctx, n, s.urls, tg)
	before, _ := s.mark(ctx, 3*time.Second, p, r)
	s.admin.Exec(ctx, "select pg_stat_statements_reset()")
	if os.Getenv("BENCH_PERF") != "" {
		go func() {
			exec.Command("perf", "record", "-a", "-g", "-o", "/tmp/perf.data", "sleep", "8").Run()
		}()
	}
	after, _ := s.mark(ctx, 10*time.Second, p, r)
	d := float64(after.received - before.received)
	fmt.Printf("published %.0f delivered %.0f/s malote %.0f pg %.0f load %.0f us commits %.3f wal %.0f\n", float64(after.accepted-before.accepted)/10, d/10, perEvent(after.maloteTime-before.maloteTime, d), perEvent(after.postgresTime-before.postgresTime, d), perEvent(after.ownTime-before.ownTime, d), float64(after.commits-before.commits)/d, float64(after.wal-before.wal)/d)
	rows, _ := s.admin.Query(ctx, "select calls, plans, total_plan_time, total_exec_time, rows, shared_blks_hit::text||' '||wal_records::text||' '||wal_bytes::text, left(regexp_replace(query, '\\s+', ' ', 'g'), 70) from pg_stat_statements order by total_plan_time+total_exec_time desc limit 25")
	var calls, plans, nr int64
	var pt, et float64
	var wal any
	var q string
	pgx.ForEachRow(rows, []any{&calls, &plans, &pt, &et, &nr, &wal, &q}, func() error {
		fmt.Printf("%6d calls  plan %6.0f ms (%.2f)  exec %6.0f ms (%.2f)  rows %7d  wal %v  %s\n", calls, pt, pt/float64(calls), et, et/float64(calls), nr, wal, q)
		return nil
	})
	p.end()
}
