package app_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// collector stands in for an OpenTelemetry collector, speaking OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string]*tracev1.Span // by name without the type
	bad   error
}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string]*tracev1.Span{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request collectortrace.ExportTraceServiceRequest
		err := proto.Unmarshal(body, &request)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bad = err
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					name, _, _ := strings.Cut(span.GetName(), " ")
					c.spans[name] = span
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

const tracedPolicy = `name: traced
deadline: 5s
lease: 60s
schedule: {kind: table, waits: [1s], then: end, anchor: finished}
give_up: {attempts: 2}
headers: {id: webhook-id, timestamp: webhook-timestamp, signature: webhook-signature, trace: traceparent}
`

// One trace from the publisher's own span to the receiver's, over the database.
func TestTrace_FromPublisherToReceiver(t *testing.T) {
	t.Parallel()
	const traceID, spanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	spans := newCollector(t)
	arrived := make(chan string, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- r.Header.Get("traceparent") }))
	t.Cleanup(receiver.Close)
	options := testOptions(pgtest.DSN(t))
	options.OTLPEndpoint = spans.URL
	s := start(t, options)
	mustCreate := func(path string, body any) {
		status, answer := s.call("POST", path, body)
		require.Equal(t, 201, status, answer)
	}
	mustCreate("/v1/tenants", map[string]any{"id": "acme"})
	mustCreate("/v1/policies", map[string]any{"yaml": tracedPolicy})
	mustCreate("/v1/webhook_endpoints", map[string]any{"tenant": "acme", "url": receiver.URL, "policy": "traced"})

	request, err := http.NewRequest("POST", s.url+"/v1/events", strings.NewReader(`{"tenant":"acme","type":"invoice.paid","data":{}}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+adminKey)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("traceparent", "00-"+traceID+"-"+spanID+"-01")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 202, response.StatusCode)
	var received string
	select {
	case received = <-arrived:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing arrived")
	}
	require.NoError(t, s.stop(), "which sends the last spans")

	spans.mu.Lock()
	defer spans.mu.Unlock()
	require.NoError(t, spans.bad)
	parent := spanID
	for _, name := range []string{"publish", "claim", "attempt"} {
		span := spans.spans[name]
		require.NotNil(t, span, name)
		require.Equal(t, traceID, hex.EncodeToString(span.GetTraceId()), name)
		require.Equal(t, parent, hex.EncodeToString(span.GetParentSpanId()), name)
		parent = hex.EncodeToString(span.GetSpanId())
	}
	require.Equal(t, "00-"+traceID+"-"+parent+"-01", received, "the receiver goes on from the attempt")
}
