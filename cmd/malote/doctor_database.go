package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/history"
)

// oldestServer is the oldest PostgreSQL that Malote runs on, as
// server_version_num has it.
const oldestServer = 150000

// examineDatabase stops at the first thing that the others need.
func (f *doctorCommand) examineDatabase(ctx context.Context) []finding {
	dsn, found := f.findDatabase()
	if found != nil {
		return []finding{*found}
	}
	s, err := store.Open(ctx, store.Options{DSN: dsn, HotConnections: 1, Connections: 2})
	if err != nil {
		return []finding{{
			Check: "database", Health: wrong, Found: oneLine(err.Error()),
			Fix: "start PostgreSQL, and check the address, user and password in DATABASE_URL",
		}}
	}
	defer s.Close()
	facts, err := askServer(ctx, s)
	if err != nil {
		return []finding{{Check: "database", Health: wrong, Found: oneLine(err.Error()), Fix: "look at PostgreSQL's log"}}
	}
	findings := []finding{facts.checkVersion(), facts.checkDurability(), facts.checkLogCompression(), facts.checkConnections(), facts.checkClock()}
	schema := checkMigrations(ctx, dsn)
	findings = append(findings, schema)
	if schema.Health == wrong {
		return findings // without tables there is nothing to look at
	}
	reader := history.New(s)
	findings = append(findings, checkPartitions(ctx, s, facts.now), f.checkSealing(ctx, s),
		checkLeases(ctx, s), checkStranded(ctx, s), checkBloat(ctx, s), checkOverdue(ctx, reader, facts.now), checkDeadLetters(ctx, s, facts.now))
	return append(findings, f.checkOutboxes(ctx, dsn)...)
}

// findDatabase gives the DSN, or why there is none.
func (f *doctorCommand) findDatabase() (string, *finding) {
	if f.DatabaseURL != "" {
		return f.DatabaseURL, nil
	}
	dsn, err := runningPrivateDSN(f.DataDir)
	switch {
	case errors.Is(err, errNoPrivateDatabase):
		return "", &finding{
			Check: "database", Health: wrong, Found: "DATABASE_URL is not set, and no private PostgreSQL runs under " + f.DataDir,
			Fix: "start malote serve, which starts one, or set DATABASE_URL or --data-dir as it has them",
		}
	case err != nil:
		return "", &finding{
			Check: "database", Health: wrong, Found: oneLine(err.Error()), Fix: asTheServer,
		}
	}
	return dsn, nil
}

// serverFacts are what PostgreSQL says about itself.
type serverFacts struct {
	version           int
	shown             string
	fsync, pages      string
	commit            string
	compression       string // of the log
	connections, used int
	now               time.Time     // by the database's clock
	skew              time.Duration // how far that is ahead of ours
	uncertainty       time.Duration // of skew: half of the question's round trip
}

// askServer needs no table of Malote's, so that it works on an empty database.
func askServer(ctx context.Context, s *store.Store) (serverFacts, error) {
	var facts serverFacts
	err := s.Pool().QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
		current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
		current_setting('wal_compression'), current_setting('max_connections')::int, (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')`).
		Scan(&facts.version, &facts.shown, &facts.fsync, &facts.pages, &facts.commit, &facts.compression, &facts.connections, &facts.used)
	if err != nil {
		return facts, fmt.Errorf("asking for the server's settings: %w", err)
	}
	asked := time.Now()
	if err := s.Pool().QueryRow(ctx, "SELECT clock_timestamp()").Scan(&facts.now); err != nil {
		return facts, fmt.Errorf("asking for the server's time: %w", err)
	}
	trip := time.Since(asked)
	facts.skew, facts.uncertainty = facts.now.Sub(asked.Add(trip/2)), trip/2
	return facts, nil
}

func (facts serverFacts) checkVersion() finding {
	found := finding{Check: "database", Health: healthy, Found: "PostgreSQL " + facts.shown + " answers"}
	if facts.version < oldestServer {
		found.Health = wrong
		found.Fix = fmt.Sprintf("Malote needs PostgreSQL %d or newer: upgrade it", oldestServer/10_000)
	}
	return found
}

func (facts serverFacts) checkDurability() finding {
	found := finding{
		Check: "durability", Health: healthy,
		Found: fmt.Sprintf("fsync %s, full_page_writes %s, synchronous_commit %s", facts.fsync, facts.pages, facts.commit),
	}
	if facts.fsync != "on" || facts.pages != "on" || facts.commit == "off" {
		found.Health = wrong
		found.Fix = "an accepted event can be lost in a crash: set fsync, full_page_writes and synchronous_commit to on in postgresql.conf"
	}
	return found
}

// checkLogCompression: "on" is another name for pglz, whatever else there is.
func (facts serverFacts) checkLogCompression() finding {
	found := finding{Check: "log compression", Health: healthy, Found: "wal_compression " + facts.compression}
	if facts.compression == "on" || facts.compression == "pglz" {
		found.Health = warning
		found.Found += ", which is slow: it can cost more of the processor than all else that a delivery does"
		found.Fix = "set wal_compression to lz4, or off, in postgresql.conf"
	}
	return found
}

// fewConnections is what another Malote needs.
const fewConnections = 20

func (facts serverFacts) checkConnections() finding {
	found := finding{
		Check: "connections", Health: healthy, Found: fmt.Sprintf("%d of %d in use", facts.used, facts.connections),
	}
	if facts.connections-facts.used < fewConnections {
		found.Health = warning
		found.Fix = fmt.Sprintf("a Malote takes up to %d: raise max_connections, or see who else is connected", fewConnections)
	}
	return found
}

// Receivers refuse timestamps that are five minutes off (F16).
const (
	smallSkew = 2 * time.Second
	largeSkew = time.Minute
)

func (facts serverFacts) checkClock() finding {
	off := max(facts.skew.Abs()-facts.uncertainty, 0)
	found := finding{Check: "clock", Health: healthy, Found: "this machine's and the database's agree"}
	if off > smallSkew {
		found.Health = warning
		found.Found = fmt.Sprintf("this machine's is %s behind the database's", brief(off))
		if facts.skew < 0 {
			found.Found = fmt.Sprintf("this machine's is %s ahead of the database's", brief(off))
		}
		found.Fix = "synchronise both with NTP: signatures carry this machine's time, and receivers refuse what is 5 minutes off"
	}
	if off > largeSkew {
		found.Health = wrong
	}
	return found
}
