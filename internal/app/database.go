package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/localpg"
	"github.com/malotehq/malote/internal/store"
)

// database is where everything is kept: the operator's PostgreSQL, or a private
// one that this process starts, watches and stops.
type database struct {
	dsn     string
	private *privateServer // nil: the operator's
}

// openDatabase makes sure there is a database with the current schema.
func openDatabase(ctx context.Context, options Options) (*database, error) {
	db := &database{dsn: options.DatabaseURL}
	if db.dsn == "" {
		private, err := startPrivate(ctx, options.DataDir, options.Log)
		if err != nil {
			return nil, err
		}
		db.private, db.dsn = private, private.dsn
	}
	if err := store.Migrate(ctx, db.dsn); err != nil {
		db.close()
		return nil, err
	}
	return db, nil
}

func (db *database) close() {
	if db.private != nil {
		db.private.stop()
	}
}

// privateServer keeps a private PostgreSQL running: one that dies is started
// again, while the rest of the process waits for it as for any database that
// is away.
type privateServer struct {
	options localpg.Options
	dsn     string
	log     *slog.Logger

	ending   context.CancelFunc
	watching sync.WaitGroup
	server   *localpg.Server // owned by watch until it has returned
}

func startPrivate(ctx context.Context, dataDir string, log *slog.Logger) (*privateServer, error) {
	options := localpg.Options{DataDir: dataDir, Log: log}
	server, err := localpg.Start(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("starting the private PostgreSQL: %w", err)
	}
	p := &privateServer{options: options, dsn: server.URL(), log: log, server: server}
	watch, cancel := context.WithCancel(context.Background())
	p.ending = cancel
	p.watching.Go(func() { p.watch(watch) })
	return p, nil
}

// restartPause parts two attempts to start a server that does not stay up.
const restartPause = time.Second

func (p *privateServer) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.server.Done():
		}
		p.log.Error("the private PostgreSQL ended; starting it again", "error", p.server.Err())
		for {
			server, err := localpg.Start(ctx, p.options)
			if err == nil {
				p.server = server
				p.log.Info("the private PostgreSQL is back")
				break
			}
			p.log.Error("starting the private PostgreSQL failed; trying again", "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(restartPause):
			}
		}
	}
}

func (p *privateServer) stop() {
	p.ending()
	p.watching.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := p.server.Stop(ctx); err != nil {
		p.log.Error("stopping the private PostgreSQL", "error", err)
	}
}
