package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Event is on its way to one endpoint.
type Event struct {
	ID   string          `json:"id"`
	URL  string          `json:"url"`
	Body json.RawMessage `json:"body"` // as it is signed and sent
}

// Queue keeps events until they are sent.
type Queue interface {
	// Put returns once the event is committed.
	Put(ctx context.Context, e Event) error
	// Run sends what is put until ctx ends.
	Run(ctx context.Context, send func(context.Context, Event) error) error
}

// maxBody is more than any event of a benchmark has.
const maxBody = 1 << 20

// api is the little of Malote's that publishers use.
type api struct {
	queue Queue

	mu        sync.RWMutex
	endpoints []string // URLs; an id is a place in it
}

// Serve runs the API and the queue until ctx ends, and says on ready where it is.
func Serve(ctx context.Context, queue Queue, ready func(url string)) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	a := &api{queue: queue}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/tenants", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	mux.HandleFunc("POST /v1/webhook_endpoints", a.addEndpoint)
	mux.HandleFunc("POST /v1/events", a.publish)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 2)
	working, stop := context.WithCancel(ctx)
	defer stop()
	go func() { ended <- server.Serve(listener) }()
	go func() { ended <- queue.Run(working, newSender().send) }()
	ready("http://" + listener.Addr().String())
	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	stop()
	return errors.Join(err, server.Close())
}

func (a *api) addEndpoint(w http.ResponseWriter, r *http.Request) {
	var asked struct{ URL string }
	if !read(w, r, &asked) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endpoints = append(a.endpoints, asked.URL)
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":"whe_%d"}`, len(a.endpoints)-1)
}

func (a *api) publish(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Type      string          `json:"type"`
		Endpoints []string        `json:"endpoint_ids"`
		Data      json.RawMessage `json:"data"`
	}
	if !read(w, r, &asked) {
		return
	}
	url, found := a.endpoint(asked.Endpoints)
	if !found {
		http.Error(w, "there is no such endpoint", http.StatusUnprocessableEntity)
		return
	}
	id := newID()
	e := Event{ID: id, URL: url, Body: envelope(asked.Type, time.Now(), asked.Data)}
	if err := a.queue.Put(r.Context(), e); err != nil {
		slog.Error("an event could not be kept", "error", err)
		http.Error(w, "the event could not be kept", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprintf(w, `{"id":%q}`, id)
}

// endpoint finds the one that an event is for.
func (a *api) endpoint(ids []string) (url string, found bool) {
	if len(ids) != 1 || len(ids[0]) < len("whe_0") {
		return "", false
	}
	place, err := strconv.Atoi(ids[0][len("whe_"):])
	a.mu.RLock()
	defer a.mu.RUnlock()
	if err != nil || place < 0 || place >= len(a.endpoints) {
		return "", false
	}
	return a.endpoints[place], true
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}
