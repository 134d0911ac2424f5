package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/localpg"
)

// stage is a database and the processes on it.
type stage struct {
	dir      string
	postgres *localpg.Server
	admin    *pgx.Conn
	serves   []*process
	urls     []string // of the processes that serve the API

	postmaster int // the pid of PostgreSQL's first process
}

const adminKey = "bench-admin-key-of-a-stage-0001"

// readyLine begins what malote serve prints when it is ready.
const readyLine = "Malote is ready at "

// openStage starts PostgreSQL and one process for every list of roles; an empty
// list is all of them.
func openStage(ctx context.Context, program string, roles [][]string, more []string) (_ *stage, err error) {
	s := &stage{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.dir, err = os.MkdirTemp("", "malote-bench-"); err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	if err = os.Chmod(s.dir, 0o755); err != nil { // PostgreSQL may run as another user
		return nil, err
	}
	if s.postgres, err = localpg.Start(ctx, localpg.Options{DataDir: filepath.Join(s.dir, "database"), Log: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, fmt.Errorf("starting PostgreSQL: %w", err)
	}
	if s.postmaster, err = postmasterOf(filepath.Join(s.dir, "database", "postgres", "data")); err != nil {
		return nil, err
	}
	if s.admin, err = pgx.Connect(ctx, s.postgres.URL()); err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	for i, list := range roles {
		p, err := startProcess(ctx, program, s, i, list, more)
		if err != nil {
			return nil, err
		}
		s.serves = append(s.serves, p)
		if len(list) == 0 || strings.Contains(strings.Join(list, ","), "api") {
			s.urls = append(s.urls, p.url)
		}
	}
	return s, nil
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

func (s *stage) close() {
	for _, p := range s.serves {
		p.stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if s.admin != nil {
		_ = s.admin.Close(ctx)
	}
	if s.postgres != nil {
		_ = s.postgres.Stop(ctx)
	}
	_ = os.RemoveAll(s.dir)
}

// process is one malote serve.
type process struct {
	command *exec.Cmd
	stdin   io.Closer
	url     string
	log     *os.File
	ended   chan error
}

func startProcess(ctx context.Context, program string, s *stage, number int, roles, more []string) (*process, error) {
	arguments := []string{"serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(s.dir, "malote"), "--allow-destinations", "127.0.0.0/8", "--log-level", "warn"}
	if len(roles) > 0 {
		arguments = append(arguments, "--role", strings.Join(roles, ","))
	}
	log, err := os.Create(filepath.Join(s.dir, fmt.Sprintf("malote-%d.log", number)))
	if err != nil {
		return nil, err
	}
	p := &process{command: exec.Command(program, append(arguments, more...)...), log: log, ended: make(chan error, 1)}
	p.command.Env = append(os.Environ(), "DATABASE_URL="+s.postgres.URL(), "MALOTE_ADMIN_KEY="+adminKey)
	p.command.Stderr = log
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting malote serve: %w", err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), readyLine); found {
			p.url, _, _ = strings.Cut(rest, " ")
			go func() {
				_, _ = io.Copy(io.Discard, stdout)
				p.ended <- p.command.Wait()
			}()
			return p, nil
		}
	}
	_ = p.command.Wait()
	said, _ := os.ReadFile(log.Name())
	return nil, fmt.Errorf("malote serve did not start: %s", said)
}

func (p *process) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(30 * time.Second):
		_ = p.command.Process.Kill()
		<-p.ended
	}
	_ = p.log.Close()
}

// rss is the process's resident memory, in bytes, now and at most (VmHWM).
func (p *process) rss() (now, most int64, _ error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, 0, fmt.Errorf("reading a process's memory: %w", err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			now = kilobytes << 10
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); err == nil {
			most = kilobytes << 10
		}
	}
	if now == 0 {
		return 0, 0, errors.New("this system does not tell a process's memory")
	}
	return now, most, nil
}

// post makes one call of the API and fails unless it succeeds.
func post(ctx context.Context, client *http.Client, url, body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+adminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s answered %d: %s", url, response.StatusCode, answer)
	}
	return answer, err
}
