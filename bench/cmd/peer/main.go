// Command peer is a hand-rolled webhook pipeline for malote bench to measure in the
// same way as Malote:
//
//	malote bench throughput --peer 'river=bench/bin/peer river'
//
// It finds an empty database in DATABASE_URL, says on standard output where it
// listens, and ends at SIGTERM.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/bench/pipeline"
	"github.com/malotehq/malote/bench/riverqueue"
	"github.com/malotehq/malote/bench/textbook"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		stop()
		os.Exit(1)
	}
}

// connections to the database: as many as River's documentation and PostgreSQL's
// own limit allow for comfortably.
const connections = 40

func run(ctx context.Context, arguments []string) error {
	debug.SetGCPercent(400) // as Malote does
	if len(arguments) != 1 {
		return fmt.Errorf("usage: peer river|textbook")
	}
	maxInFlight, err := strconv.Atoi(os.Getenv("MALOTE_BENCH_MAX_IN_FLIGHT"))
	if err != nil {
		return fmt.Errorf("MALOTE_BENCH_MAX_IN_FLIGHT must be a number: malote bench sets it")
	}
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return fmt.Errorf("reading DATABASE_URL: %w", err)
	}
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	defer pool.Close()
	var queue pipeline.Queue
	switch arguments[0] {
	case "river":
		queue, err = riverqueue.Open(ctx, pool, maxInFlight)
	case "textbook":
		queue, err = textbook.Open(ctx, pool, maxInFlight)
	default:
		return fmt.Errorf("there is no pipeline %q; there are river and textbook", arguments[0])
	}
	if err != nil {
		return err
	}
	return pipeline.Serve(ctx, queue, func(url string) { fmt.Printf("The peer is ready at %s\n", url) })
}
