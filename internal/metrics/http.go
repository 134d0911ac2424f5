package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requestTime are the buckets of HTTP requests, in seconds.
var requestTime = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// methods are those that a label may have; others are "other".
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true, http.MethodPatch: true, http.MethodDelete: true,
}

func newRequests() *prometheus.HistogramVec {
	return histograms("malote_http_request_seconds", "Time that HTTP requests took, by the part of Malote that answered and the class of the status.", requestTime, "part", "method", "status")
}

// Requests wraps a part of the server, which a constant names, to measure what
// it answers.
func (m *Metrics) Requests(part string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		seen := &statusSeen{ResponseWriter: w, status: http.StatusOK}
		// A handler that panics cuts the connection; that is a failure of ours.
		finished := false
		defer func() {
			if !finished {
				seen.status = http.StatusInternalServerError
			}
			method := r.Method
			if !methods[method] {
				method = "other"
			}
			m.requests.WithLabelValues(part, method, strconv.Itoa(seen.status/100)+"xx").Observe(time.Since(started).Seconds())
		}()
		next.ServeHTTP(seen, r)
		finished = true
	})
}

// statusSeen notes the status. Unwrap leads http.ResponseController to whatever
// else the server's own writer can do.
type statusSeen struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (s *statusSeen) WriteHeader(status int) {
	if !s.wrote && status >= 200 { // 1xx are not the answer
		s.status, s.wrote = status, true
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusSeen) Write(b []byte) (int, error) {
	s.wrote = true
	return s.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (s *statusSeen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Flush is for those who look for an http.Flusher.
func (s *statusSeen) Flush() {
	s.wrote = true
	_ = http.NewResponseController(s.ResponseWriter).Flush() // a writer that cannot, need not
}
