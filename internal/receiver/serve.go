package receiver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

const (
	readTimeout = time.Minute // for a whole request
	idleTimeout = 2 * time.Minute

	// stopTime is for answers that are being written when the receiver stops;
	// those that wait are given up at once. Connections on which nothing came
	// yet use it up: net/http waits for them, too.
	stopTime = 500 * time.Millisecond
)

// Serve listens on an address such as 127.0.0.1:8421 until ctx ends, and says
// so in a first line. It returns nil when ctx has ended.
func (rc *Receiver) Serve(ctx context.Context, addr string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", addr, err)
	}
	if rc.options.Out != nil {
		rc.mu.Lock()
		_, _ = io.WriteString(rc.options.Out, rc.greeting(listener.Addr()))
		rc.mu.Unlock()
	}
	return ServeHandler(ctx, listener, rc)
}

func (rc *Receiver) greeting(at net.Addr) string {
	verifying := paint(rc.options.Color, green, "Signatures are verified.")
	if rc.options.Verifier == nil {
		verifying = paint(rc.options.Color, yellow, "Signatures are NOT verified: there is no secret, so these may be anybody's requests.")
	}
	return fmt.Sprintf("Waiting for webhooks at http://%s/. %s\n", at, verifying)
}

// ServeHandler serves a receiver, or a handler around one, on a listener until
// ctx ends, and closes the listener. It returns nil when ctx has ended.
func ServeHandler(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:     handler,
		ReadTimeout: readTimeout,
		IdleTimeout: idleTimeout,
		ErrorLog:    log.New(io.Discard, "", 0), // senders that go away are what receivers are for
		// Requests end with ctx, so that those that wait or hang don't hold up
		// the stop.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("receiving on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := server.Shutdown(stopping); errors.Is(err, context.DeadlineExceeded) {
		_ = server.Close() // it says that connections were still open, which was the point
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("receiving on %s: %w", listener.Addr(), err)
	}
	return nil
}
