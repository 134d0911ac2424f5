package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// Options says what kind of server to start.
type Options struct {
	// DataDir is Malote's data directory; the cluster is put into its
	// subdirectory "postgres". Empty: a temporary one, removed by Stop.
	DataDir string
	// Ephemeral trades durability for speed: a crash of the machine, or of us,
	// may destroy the cluster. For tests, never over data worth keeping.
	Ephemeral bool
	// Log is told of starts and of leftovers; nil discards.
	Log *slog.Logger
}

// Server is a running PostgreSQL. Its methods may be called concurrently.
type Server struct {
	url      string
	home     *home
	process  *process
	log      *slog.Logger
	stopping atomic.Bool // set before we signal: the exit that follows is no crash
	done     chan struct{}
	err      error // written before done is closed
}

// Start returns a server that accepts connections, after creating its cluster,
// or stopping what an earlier run left behind, if need be. It takes a second or
// two; recovery after a crash can take longer and is bounded by ctx alone, which
// has no influence on a server once started.
//
// Errors: ErrNoBinaries, ErrNoAccount, *InUseError, *VersionError, *AccessError,
// *StartError; each is one line that says what to do.
func Start(ctx context.Context, options Options) (*Server, error) {
	return start(ctx, options, systemPlaces())
}

func start(ctx context.Context, options Options, where places) (*Server, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	var existing string
	if options.DataDir != "" {
		existing = filepath.Join(options.DataDir, homeName)
	}
	who, err := chooseAccount(existing)
	if err != nil {
		return nil, err
	}
	installed, err := where.find(ctx, who)
	if err != nil {
		return nil, err
	}
	h, err := openHome(options.DataDir, who)
	if err != nil {
		return nil, err
	}
	server, err := h.startServer(ctx, installed, options)
	if err != nil {
		h.release()
		return nil, errors.Join(err, h.removeTemporary())
	}
	return server, nil
}

// startServer does all that follows the lock. It leaves no process behind when
// it fails.
func (h *home) startServer(ctx context.Context, installed []installation, options Options) (*Server, error) {
	began := time.Now()
	major, err := h.clusterMajor()
	if err != nil {
		return nil, err
	}
	binaries, err := choose(installed, major, h.path)
	if err != nil {
		return nil, err
	}
	if err := h.who.checkReach(ctx, h.path, binaries.program("postgres")); err != nil {
		return nil, err
	}
	if err := h.stopLeftovers(ctx, options.Log); err != nil {
		return nil, err
	}
	if major == 0 {
		if err := h.createCluster(ctx, binaries, options.Ephemeral); err != nil {
			return nil, err
		}
	}
	password, err := h.password()
	if err != nil {
		return nil, err
	}
	if err := h.replaceFile(settingsName, h.settings(ctx, binaries, options.Ephemeral)); err != nil {
		return nil, fmt.Errorf("writing %s: %w", settingsName, err)
	}
	if err := h.makeSocketDir(); err != nil {
		return nil, err
	}
	process, err := h.run(ctx, binaries, password, options)
	if err != nil {
		return nil, err
	}
	server := &Server{
		url:  connectionURL(h.socketDir, password, role),
		home: h, process: process, log: options.Log, done: make(chan struct{}),
	}
	go server.watch()
	options.Log.Info("PostgreSQL started", "version", binaries.major, "user", h.who.name, "pid", process.cmd.Process.Pid,
		"directory", h.path, "took", time.Since(began).Round(time.Millisecond))
	return server, nil
}

// run starts the postmaster and waits until it is ready.
func (h *home) run(ctx context.Context, binaries installation, password string, options Options) (*process, error) {
	logFile, logged, err := h.openLog()
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	cmd := h.who.command(context.WithoutCancel(ctx), h.path, binaries.program("postgres"), h.arguments()...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	if options.Ephemeral {
		dieWithUs(cmd, immediateShutdown)
	}
	process, err := launch(cmd)
	if err != nil {
		return nil, fmt.Errorf("running postgres: %w", err)
	}
	err = awaitReady(ctx, h.socketDir, password, process, options.Log)
	if err == nil {
		return process, nil
	}
	if errors.Is(err, errEarlyExit) {
		return nil, &StartError{Program: "postgres", Reason: complaint(h.logSince(logged), process.state), LogPath: h.logPath()}
	}
	// Nobody is connected, so there is nothing for a fast shutdown to be kind to.
	_ = process.cmd.Process.Signal(immediateShutdown)
	return nil, errors.Join(err, shutDown(ctx, process.cmd.Process.Signal, process.exited))
}

// URL returns the DSN of the database "malote" as its superuser. It holds the
// password. It stays the same when the server is started again.
func (s *Server) URL() string { return s.url }

// Done is closed when the server has ended, for whatever reason, and its
// directory is free for another Start.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns nil before Done is closed and after a Stop, else a *CrashError.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Stop disconnects all clients and shuts the server down, cleanly if that takes
// no longer than 15 s and ctx lasts; else at once, and the next Start recovers.
// It returns when the server is gone, at most some 13 s after the end of ctx.
// A temporary data directory is removed. Stopping again is harmless.
func (s *Server) Stop(ctx context.Context) error {
	s.stopping.Store(true)
	if err := shutDown(ctx, s.process.cmd.Process.Signal, s.process.exited); err != nil {
		return err
	}
	<-s.done
	return s.home.removeTemporary()
}

// Kill ends the server as a crash would, with the *CrashError that follows from
// it, and returns when it is gone: for fault tests.
func (s *Server) Kill() {
	_ = s.process.cmd.Process.Signal(syscall.SIGKILL) // fails only if it is gone
	<-s.done
}

// watch keeps the log short, waits for the server's end and cleans up after it.
func (s *Server) watch() {
	rotation := time.NewTicker(logCheckEvery)
	defer rotation.Stop()
	for {
		select {
		case <-rotation.C:
			if err := s.home.rotateLog(logLimit); err != nil {
				s.log.Warn("PostgreSQL's log stays long", "error", err)
			}
		case <-s.process.exited:
			s.finish()
			return
		}
	}
}

func (s *Server) finish() {
	if err := s.home.killBackends(dataName); err != nil {
		s.log.Warn("backends may have outlived PostgreSQL", "error", err)
	}
	s.home.release()
	if !s.stopping.Load() {
		s.err = &CrashError{State: s.process.ended(), LogPath: s.home.logPath()}
	}
	close(s.done)
}
