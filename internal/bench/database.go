package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/localpg"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/benchdata"
)

// database is one that exists for a single measurement.
type database struct {
	dir   string // of all that the measurement leaves behind
	url   string
	admin *benchdata.Database // connected to it

	private    *localpg.Server // nil: the server was given
	postmaster int             // the pid of the private one's first process; 0: none

	given *benchdata.Database // the given server's own
	name  string              // what was made on it
}

// patience bounds starts and stops.
const patience = time.Minute

// passable lets PostgreSQL's user, if that is another, through to its directory.
const passable = 0o711

func (b *bench) openDatabase(ctx context.Context) (_ *database, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	d := &database{}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if d.dir, err = os.MkdirTemp("", "malote-bench-"); err != nil {
		return nil, fmt.Errorf("making a directory to measure in: %w; set TMPDIR to one that can be written to", err)
	}
	if err := os.Chmod(d.dir, passable); err != nil {
		return nil, fmt.Errorf("opening the directory: %w", err)
	}
	if b.DatabaseURL == "" {
		err = d.start(ctx)
	} else {
		err = d.make(ctx, b.DatabaseURL)
	}
	if err != nil {
		return nil, err
	}
	d.admin, err = benchdata.Connect(ctx, d.url)
	return d, err
}

// errNoServer adds what malote bench can do about it to what localpg says.
var errNoServer = errors.New("or name a server that may be loaded with --database-url")

func (d *database) start(ctx context.Context) (err error) {
	dir := filepath.Join(d.dir, "database")
	d.private, err = localpg.Start(ctx, localpg.Options{DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if errors.Is(err, localpg.ErrNoBinaries) {
		return fmt.Errorf("%w (%w)", err, errNoServer)
	}
	if err != nil {
		return fmt.Errorf("starting PostgreSQL: %w", err)
	}
	d.url = d.private.URL()
	d.postmaster, err = postmasterOf(filepath.Join(dir, "postgres", "data"))
	return err
}

func (d *database) make(ctx context.Context, url string) (err error) {
	if d.given, err = benchdata.Connect(ctx, url); err != nil {
		return err
	}
	d.url, d.name, err = d.given.Create(ctx, url)
	return err
}

// postmasterOf is the pid in the first line of the file that PostgreSQL keeps.
func postmasterOf(dataDir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return 0, fmt.Errorf("looking for PostgreSQL's process: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

// openStore opens a store beside the processes, with Malote's schema.
func (d *database) openStore(ctx context.Context) (*store.Store, error) {
	if err := store.Migrate(ctx, d.url); err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{DSN: d.url})
}

// close removes everything, also after ctx has ended.
func (d *database) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if d.admin != nil {
		_ = d.admin.Close(ctx)
	}
	if d.private != nil {
		_ = d.private.Stop(ctx) // it is killed if it must be
	}
	if d.given != nil {
		if d.name != "" {
			_ = d.given.Drop(ctx, d.name)
		}
		_ = d.given.Close(ctx)
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir) // in the system's temporary directory, so it does not stay for ever
	}
}
