//go:build linux

package torture_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is one `malote serve`, which is started again whenever it ends, as a
// supervisor would.
type process struct {
	name, role, url string
	proxy           *proxy
	environment     []string
	binary          string
	skews           []string // offsets of its clock, in seconds; a new one at every start
	log             *os.File

	busy sync.Mutex // held while a fault is being done to it

	mu      sync.Mutex
	command *exec.Cmd
	starts  int
	ended   bool          // for good
	gone    chan struct{} // closed when the supervisor has ended
}

// lastingAddress is a free one that stays so while its process is dead: its port is
// below those that the system gives to outgoing connections, of which one would take it.
func lastingAddress(t *testing.T) string {
	t.Helper()
	const first, ports, tries = 20_000, 12_000, 100
	for range tries {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(ports)))
		if err != nil {
			continue
		}
		require.NoError(t, listener.Close())
		return listener.Addr().String()
	}
	require.Fail(t, "no port is free")
	return ""
}

func (w *world) startProcess(name, role string) *process {
	t := w.t
	t.Helper()
	address := lastingAddress(t)
	log, err := os.Create(filepath.Join(w.dir, name+".log"))
	require.NoError(t, err)
	p := &process{
		name: name, role: role, url: "http://" + address, proxy: newProxy(t, w.database.URL()),
		binary: w.binary, log: log, gone: make(chan struct{}),
	}
	if role == "worker" && w.skewed != "" {
		p.binary, p.skews = w.skewed, clockSkews
	}
	p.environment = append(os.Environ(),
		"DATABASE_URL="+p.proxy.url(t, w.database.URL()), "MALOTE_LISTEN="+address, "MALOTE_ROLE="+role,
		"MALOTE_ADMIN_KEY="+adminKey, "MALOTE_SECRET_KEY="+secretKey, "MALOTE_ALLOW_DESTINATIONS=127.0.0.0/8",
		"MALOTE_DATA_DIR="+filepath.Join(w.dir, name), "MALOTE_DRAIN_TIMEOUT=3s", "MALOTE_MAX_IN_FLIGHT=32",
		"SSL_CERT_FILE="+filepath.Join(w.dir, "ca.pem"), "GOMAXPROCS=2")
	go p.supervise()
	t.Cleanup(p.end)
	return p
}

// clockSkews are what the workers' clocks are off by.
var clockSkews = []string{"0", "3600", "-3600", "86400", "-86400", "7", "-7"}

// startPause parts two starts: a process that cannot start must not fill the machine.
const startPause = 150 * time.Millisecond

func (p *process) supervise() {
	defer close(p.gone)
	for {
		p.mu.Lock()
		if p.ended {
			p.mu.Unlock()
			return
		}
		command := exec.Command(p.binary, "serve")
		command.Env = p.environment
		if len(p.skews) > 0 {
			command.Env = append(command.Env, "MALOTE_TORTURE_SKEW="+p.skews[(p.starts+len(p.name))%len(p.skews)])
		}
		command.Stdout, command.Stderr = p.log, p.log
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		p.command = command
		p.starts++
		err := command.Start()
		p.mu.Unlock()
		if err == nil {
			err = command.Wait()
		}
		fmt.Fprintf(p.log, "== ended: %v\n", err)
		<-time.NewTimer(startPause).C
	}
}

// signal reaches the process if it runs.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.command != nil && p.command.Process != nil {
		_ = p.command.Process.Signal(s) // it may have ended by itself
	}
}

func (p *process) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGKILL)
	<-p.gone
	_ = p.log.Close()
}

func (p *process) ready() bool {
	client := &http.Client{Timeout: 2 * time.Second}
	response, err := client.Get(p.url + "/readyz")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (p *process) awaitReady(t *testing.T) {
	t.Helper()
	require.Eventually(t, p.ready, patience, 50*time.Millisecond, "%s does not start: see %s", p.name, p.log.Name())
}
