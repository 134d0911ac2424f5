package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// guard is around everything: a panic becomes an answer and a line in the log,
// no answer is ever taken for another type than it says, and no body holds a
// connection for ever.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched := &watchedWriter{ResponseWriter: w}
		defer func() {
			if cause := recover(); cause != nil {
				s.survive(watched, r, cause)
			}
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		limitBodyTime(watched, r)
		next.ServeHTTP(watched, r)
	})
}

func (s *server) survive(w *watchedWriter, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // the very value, as net/http compares it
		panic(cause)
	}
	p := s.internal(r.Context(), r.Method+" "+r.URL.Path, fmt.Sprint("panic: ", cause))
	s.log.LogAttrs(r.Context(), slog.LevelDebug, "stack of the panic",
		slog.String("request_id", p.RequestID), slog.String("stack", string(debug.Stack())))
	if w.begun {
		panic(http.ErrAbortHandler) // cut the answer off, so that it is not taken for a whole one
	}
	p.write(w)
}

// watchedWriter knows whether an answer has begun.
type watchedWriter struct {
	http.ResponseWriter
	begun bool
}

func (w *watchedWriter) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController through.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
