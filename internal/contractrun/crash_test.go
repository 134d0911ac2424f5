package contractrun

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// crash is a Malote whose workers die.
type crash struct {
	t      *testing.T
	dsn    string
	db     *pgxpool.Pool
	api    *malote // without a worker
	script *script
}

func newCrash(t *testing.T) *crash {
	t.Helper()
	c := &crash{t: t, dsn: pgtest.DSN(t), script: newScript(t)}
	c.db = pgtest.OpenDSN(t, c.dsn).Pool()
	c.api = start(t, options(c.dsn, app.RoleAPI))
	c.api.makeTenant()
	return c
}

// worker starts one in a process of its own; kill is kill -9.
func (c *crash) worker() (kill func()) {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), os.Args[0])
	command.Env = append(os.Environ(), workerVariable+"="+c.dsn)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	require.NoError(c.t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, command.Start())
	kill = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = stdin.Close()
	})
	c.t.Cleanup(kill)
	_, err = bufio.NewReader(stdout).ReadString('\n')
	require.NoError(c.t, err, "the worker did not start")
	return kill
}

// awaitClaimed waits until a worker has committed a claim.
func (c *crash) awaitClaimed() {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		var n int
		err := c.db.QueryRow(c.t.Context(), `SELECT count(*) FROM malote.queue WHERE status = 'sending'`).Scan(&n)
		return err == nil && n == 1
	}, patience, 10*time.Millisecond)
}

// survive lets a killed worker's leases run out at once instead of in a minute,
// and another worker take over, until nothing is left to do.
func (c *crash) survive(event published) delivery {
	c.t.Helper()
	_, err := c.db.Exec(c.t.Context(), `UPDATE malote.queue SET lease_until = now() - interval '1 second' WHERE status = 'sending'`)
	require.NoError(c.t, err)
	next := start(c.t, options(c.dsn, app.RoleWorker))
	became := c.api.awaitOne(event)
	require.NoError(c.t, next.stop())
	return became
}

// held is a part that says that a request came, and answers none.
func held(arrived chan<- struct{}) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
}

// mute takes connections, counts them, and never shakes hands on any: a worker
// comes as far as to be about to write its request.
type mute struct {
	url     string
	count   atomic.Int32
	arrived chan struct{}
}

func newMute(t *testing.T) *mute {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m := &mute{url: "https://" + listener.Addr().String() + "/", arrived: make(chan struct{}, 100)}
	var taken sync.WaitGroup
	taken.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			m.count.Add(1)
			m.arrived <- struct{}{}
			t.Cleanup(func() { _ = conn.Close() })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		taken.Wait()
	})
	return m
}
