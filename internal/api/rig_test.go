package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

const (
	adminKey   = "mlt_admin"
	acmeKey    = "mlt_acme_tenant"
	publishKey = "mlt_acme_publish"
	readKey    = "mlt_acme_read"
	globexKey  = "mlt_globex_tenant"
)

// rig is an API on memory, with two tenants.
type rig struct {
	*memory
	handler http.Handler
	log     *safeBuffer
	acme    delivery.ID // an endpoint of acme's
	globex  delivery.ID // an endpoint of globex's
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newRig(t testing.TB) *rig { return newRigWith(t, func(*Options) {}) }

func newRigWith(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	m, log := newMemory(), &safeBuffer{}
	hash := sha256.Sum256([]byte(adminKey))
	options := Options{
		Publisher: m, Keys: m, Tenants: m, Endpoints: m, Policies: m, History: m, Redelivery: m, Recoveries: m, Signals: m, AuditLog: m, Stats: m, Users: m, About: m, PortalLinks: m,
		Sources: m, SourceRules: m, Rejections: m, Arrivals: m, GapRepairs: m, PublicURL: "https://hooks.example.com",
		Tester: m, URLs: urls{}, Prober: m, Translate: translate, AdminKeyHash: &hash,
		MaxBodyBytes: 4096, Version: "1.2.3", Log: slog.New(slog.NewTextHandler(log, nil)),
	}
	change(&options)
	r := &rig{memory: m, log: log, handler: New(options)}
	for _, tenant := range []string{"acme", "globex"} {
		m.tenants[tenant] = Tenant{ID: tenant, Name: tenant, CreatedAt: time.Now(), UpdatedAt: time.Now()}
	}
	for plain, key := range map[string]Key{
		acmeKey: {Tenant: "acme", Scope: ScopeTenant}, publishKey: {Tenant: "acme", Scope: ScopePublish},
		readKey: {Tenant: "acme", Scope: ScopeRead}, globexKey: {Tenant: "globex", Scope: ScopeTenant},
	} {
		key.ID, key.CreatedAt = newID(key.Tenant), time.Now()
		m.keys[plain] = key
	}
	r.acme, r.globex = r.addEndpoint("acme"), r.addEndpoint("globex")
	return r
}

func (r *rig) addEndpoint(tenant string) delivery.ID {
	id := newID(tenant)
	r.endpoints[id] = Endpoint{Endpoint: delivery.Endpoint{
		ID: id, Tenant: tenant, URL: "https://example.com/" + tenant, Policy: "standard",
		Headers: map[string]string{"Authorization": "Bearer receiver"}, Status: delivery.Active, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}, Health: Health{Limit: 10, LimitNow: 10, Circuit: circuit.Closed}}
	return id
}

func (r *rig) addEvent(tenant, eventType string, body []byte) delivery.ID {
	id := newID(tenant)
	r.events = append(r.events, delivery.Event{
		ID: id, Tenant: tenant, Type: eventType, Body: body, ContentType: "application/json",
		OccurredAt: time.Now(), AcceptedAt: time.Now(),
	})
	return id
}

func (r *rig) addDelivery(tenant string, event, endpoint delivery.ID, state delivery.State) delivery.ID {
	id := newID(tenant)
	r.deliveries = append(r.deliveries, delivery.Delivery{
		ID: id, EventID: event, EndpointID: endpoint, Tenant: tenant, EventType: "a.b", State: state,
		Reason: delivery.AttemptsExhausted, Trigger: delivery.TriggerSchedule, AttemptCount: 1,
		LastStatus: 500, LastError: delivery.HTTPStatus, CreatedAt: time.Now(), ClosedAt: time.Now(),
	})
	r.attempts[id] = []delivery.Attempt{{Number: 1, Trigger: delivery.TriggerSchedule, ScheduledAt: time.Now(),
		Outcome: delivery.Outcome{Status: 500, Error: delivery.HTTPStatus, StartedAt: time.Now(), Duration: 1500 * time.Millisecond}}}
	return id
}

// call sends a request and gives what came back.
func (r *rig) call(method, path, key, body string, header ...string) reply {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		request = httptest.NewRequest(method, path, http.NoBody)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	return reply{recorder}
}

type reply struct{ *httptest.ResponseRecorder }

// object is the answer's JSON object; it must have come with the status.
func (a reply) object(t testing.TB, status int) map[string]any {
	t.Helper()
	require.Equal(t, status, a.Code, a.Body.String())
	var object map[string]any
	require.NoError(t, json.Unmarshal(a.Body.Bytes(), &object), a.Body.String())
	return object
}

// problem is the answer's problem; it must be a whole one.
func (a reply) problem(t testing.TB, code Code) Problem {
	t.Helper()
	require.Equal(t, code.Status(), a.Code, a.Body.String())
	require.Equal(t, problemType, a.Header().Get("Content-Type"), a.Body.String())
	var p Problem
	require.NoError(t, json.Unmarshal(a.Body.Bytes(), &p), a.Body.String())
	require.Equal(t, code, p.Code, a.Body.String())
	require.Equal(t, a.Code, p.Status)
	require.Equal(t, "/docs#"+string(code), p.Type)
	require.NotEmpty(t, p.Title)
	require.NotEmpty(t, p.Detail)
	return p
}
