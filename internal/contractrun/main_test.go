package contractrun

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

const adminKey = "an-admin-key-for-tests-only-0001"

// workerVariable makes the test binary play a worker, so that a test has a
// process of its own to kill.
const workerVariable = "MALOTE_TEST_WORKER_DSN"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(workerVariable); dsn != "" {
		os.Exit(playWorker(dsn))
	}
	flag.Parse()
	if atOnce := flag.Lookup("test.parallel"); atOnce.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = atOnce.Value.Set(strconv.Itoa(testsAtOnce))
	}
	os.Exit(pgtest.Main(m))
}

// testsAtOnce, unless somebody asks for another number: these tests wait more
// than they compute.
const testsAtOnce = 12

func options(dsn string, roles ...app.Role) app.Options {
	return app.Options{
		DatabaseURL: dsn, Listen: "127.0.0.1:0", Roles: roles, AdminKey: adminKey,
		AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Log:               slog.New(slog.DiscardHandler), HotConnections: 6,
		// What hangs at the end of a test has shown what it had to.
		DrainTimeout: 100 * time.Millisecond,
	}
}

// playWorker works until it is killed, or until its parent is gone.
func playWorker(dsn string) int {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	err := app.Run(ctx, options(dsn, app.RoleWorker), func(app.Info) { fmt.Println("working") })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
