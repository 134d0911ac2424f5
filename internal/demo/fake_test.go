package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

const fakeKey = "the-admin-key"

// fake is a platform in memory: it takes events in, sends each delivery once and
// says what came of it. Its tricks make it one that nobody should trust.
type fake struct {
	server *httptest.Server
	sender *http.Client
	tricks tricks

	mu         sync.Mutex
	tenants    map[string]bool
	endpoints  []*fakeEndpoint
	events     []*fakeEvent
	keys       map[string]*fakeEvent
	deliveries []*deliveryView
	lost       bool
	sending    sync.WaitGroup
}

// tricks spoil every so manyth event or delivery; 0: none.
type tricks struct {
	loseEvent    int           // answered, and forgotten
	loseDelivery int           // no record, nothing sent
	feign        int           // recorded as delivered, nothing sent
	reencode     int           // sent with another white space
	twice        int           // sent twice, with other bytes the second time
	forge        int           // sent with a wrong signature
	wait         time.Duration // before anything is sent
	unavailable  int           // requests in a row that get 503, before all works
	twoEvents    bool          // for one key
}

type fakeEndpoint struct {
	view     endpointView
	URL      string
	Policy   string
	Types    []string
	secret   webhook.Secret
	contract *policy.Policy
}

type fakeEvent struct {
	id         delivery.ID
	tenant     string
	eventType  string
	data       []byte
	raw        bool
	deliveries int
	skipped    int
}

func newFake(t *testing.T, with tricks) *fake {
	f := &fake{
		tricks: with, tenants: map[string]bool{}, keys: map[string]*fakeEvent{},
		sender: &http.Client{
			Timeout:       5 * time.Second,
			Transport:     &http.Transport{MaxIdleConnsPerHost: 4},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/policies/{name}", f.policy)
	mux.HandleFunc("GET /v1/tenants/{slug}", f.tenant)
	mux.HandleFunc("POST /v1/tenants", f.createTenant)
	mux.HandleFunc("POST /v1/webhook_endpoints", f.createEndpoint)
	mux.HandleFunc("GET /v1/webhook_endpoints", f.listEndpoints)
	mux.HandleFunc("POST /v1/events", f.publishOne)
	mux.HandleFunc("POST /v1/events/batch", f.publishBatch)
	mux.HandleFunc("GET /v1/events", f.listEvents)
	mux.HandleFunc("GET /v1/webhook_deliveries", f.listDeliveries)
	f.server = httptest.NewServer(f.guarded(mux))
	t.Cleanup(func() {
		f.server.Close()
		f.sending.Wait()
		f.sender.CloseIdleConnections()
	})
	return f
}

func (f *fake) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case r.Header.Get("Authorization") != "Bearer "+fakeKey:
			say(w, http.StatusUnauthorized, map[string]any{"code": "unauthenticated", "detail": "no"})
		case f.tricks.unavailable > 0 && r.Method == http.MethodPost:
			f.tricks.unavailable--
			say(w, http.StatusServiceUnavailable, map[string]any{"code": "unavailable", "detail": "soon"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func say(w http.ResponseWriter, status int, answer any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func hear[T any](r *http.Request) (heard T) {
	_ = json.NewDecoder(r.Body).Decode(&heard)
	return heard
}

func (f *fake) policy(w http.ResponseWriter, r *http.Request) {
	source, known := policy.PresetSource(r.PathValue("name"))
	if !known {
		say(w, http.StatusNotFound, map[string]any{"code": "unknown_policy", "detail": "no such policy"})
		return
	}
	say(w, http.StatusOK, map[string]any{"yaml": string(source)})
}

func (f *fake) tenant(w http.ResponseWriter, r *http.Request) {
	if !f.tenants[r.PathValue("slug")] {
		say(w, http.StatusNotFound, map[string]any{"code": "unknown_tenant"})
		return
	}
	say(w, http.StatusOK, map[string]any{})
}

func (f *fake) createTenant(w http.ResponseWriter, r *http.Request) {
	f.tenants[hear[struct{ ID string }](r).ID] = true
	say(w, http.StatusCreated, map[string]any{})
}

func (f *fake) createEndpoint(w http.ResponseWriter, r *http.Request) {
	asked := hear[newEndpoint](r)
	secret, _ := webhook.ParseSecret(asked.Secret)
	contract, _ := policy.Preset(asked.Policy)
	e := &fakeEndpoint{
		URL: asked.URL, Policy: asked.Policy, Types: asked.EventTypes, secret: secret, contract: contract,
		view: endpointView{
			ID: fakeID(delivery.EndpointPrefix), Tenant: asked.Tenant, Status: delivery.Active,
		},
	}
	f.endpoints = append(f.endpoints, e)
	say(w, http.StatusCreated, map[string]any{"id": e.view.ID})
}

func fakeID(prefix delivery.Prefix) string {
	return delivery.NewID(1, time.Now(), rand.Reader).Format(prefix)
}

// paged answers with one page; pages are short, so that there are several.
func paged[T any](w http.ResponseWriter, r *http.Request, all []T) {
	const size = 100
	from, _ := strconv.Atoi(r.FormValue("cursor"))
	to := min(from+size, len(all))
	answer := map[string]any{"data": all[from:to], "next_cursor": nil}
	if to < len(all) {
		answer["next_cursor"] = strconv.Itoa(to)
	}
	say(w, http.StatusOK, answer)
}

func (f *fake) listEndpoints(w http.ResponseWriter, r *http.Request) {
	var all []map[string]any
	for _, e := range f.endpoints {
		pending, sending := 0, 0
		for _, d := range f.deliveries {
			if d.EndpointID != e.view.ID {
				continue
			}
			switch d.State {
			case delivery.Pending:
				pending++
			case delivery.Sending:
				sending++
			}
		}
		all = append(all, map[string]any{
			"id": e.view.ID, "tenant": e.view.Tenant, "status": e.view.Status, "disabled_reason": nil,
			"consecutive_failures": e.view.ConsecutiveFailures, "paused_until": nil, "pending": pending, "in_flight": sending,
			"oldest_pending_age_seconds": nil,
		})
	}
	paged(w, r, all)
}

func (f *fake) listEvents(w http.ResponseWriter, r *http.Request) {
	all := []map[string]any{}
	for _, e := range f.events {
		if e.tenant == r.FormValue("tenant") {
			all = append(all, map[string]any{"id": e.id.Format(delivery.EventPrefix), "type": e.eventType})
		}
	}
	paged(w, r, all)
}

func (f *fake) listDeliveries(w http.ResponseWriter, r *http.Request) {
	all := []map[string]any{}
	for _, d := range f.deliveries {
		if tenant := r.FormValue("tenant"); tenant != "" && tenant != d.Tenant {
			continue
		}
		if state := r.FormValue("state"); state != "" && state != string(d.State) {
			continue
		}
		all = append(all, showFake(d))
	}
	paged(w, r, all)
}

func showFake(d *deliveryView) map[string]any {
	shown := map[string]any{
		"id": d.ID, "event_id": d.EventID, "endpoint_id": d.EndpointID, "tenant": d.Tenant, "state": d.State,
		"dead_reason": d.DeadReason, "skip_reason": d.SkipReason, "attempt_count": d.AttemptCount,
		"last_response_status": d.LastStatus, "last_error_code": d.LastError, "next_attempt_at": nil,
	}
	if d.EndpointID == "" {
		shown["endpoint_id"] = nil
	}
	if !d.NextAttempt.IsZero() {
		shown["next_attempt_at"] = d.NextAttempt
	}
	return shown
}

type fakeRequest struct {
	Tenant         string
	Type           string
	Data           json.RawMessage
	BodyBase64     []byte `json:"body_base64"`
	IdempotencyKey string `json:"idempotency_key"`
}

func (f *fake) publishOne(w http.ResponseWriter, r *http.Request) {
	say(w, http.StatusAccepted, f.publish(hear[fakeRequest](r)))
}

func (f *fake) publishBatch(w http.ResponseWriter, r *http.Request) {
	var answers []map[string]any
	for _, asked := range hear[struct{ Events []fakeRequest }](r).Events {
		answers = append(answers, f.publish(asked))
	}
	say(w, http.StatusAccepted, map[string]any{"data": answers})
}

func (f *fake) publish(asked fakeRequest) map[string]any {
	e, duplicate := f.keys[asked.IdempotencyKey]
	if duplicate && f.tricks.twoEvents {
		duplicate = false
	}
	if !duplicate {
		e = &fakeEvent{
			id: delivery.NewID(1, time.Now(), rand.Reader), tenant: asked.Tenant, eventType: asked.Type,
			data: asked.Data, raw: asked.BodyBase64 != nil,
		}
		if e.raw {
			e.data = asked.BodyBase64
		}
		f.keys[asked.IdempotencyKey] = e
		f.fanOut(e)
	}
	return map[string]any{
		"id": e.id.Format(delivery.EventPrefix), "duplicate": duplicate, "deliveries": e.deliveries, "skipped": e.skipped,
	}
}

func every(n, count int) bool { return n > 0 && count%n == n-1 }

func (f *fake) fanOut(e *fakeEvent) {
	if !every(f.tricks.loseEvent, len(f.keys)) {
		f.events = append(f.events, e)
	}
	for _, endpoint := range f.endpoints {
		subscription := delivery.Endpoint{EventTypes: endpoint.Types}
		if endpoint.view.Tenant != e.tenant || !subscription.Subscribes(e.eventType) {
			continue
		}
		d := &deliveryView{
			ID: fakeID(delivery.DeliveryPrefix), EventID: e.id.Format(delivery.EventPrefix), EndpointID: endpoint.view.ID,
			Tenant: e.tenant, State: delivery.Sending, AttemptCount: 1,
		}
		if !endpoint.view.Status.Accepts() {
			d.State, d.SkipReason, d.AttemptCount = delivery.Skipped, delivery.EndpointDisabled, 0
			f.deliveries, e.skipped = append(f.deliveries, d), e.skipped+1
			continue
		}
		e.deliveries++
		number := len(f.deliveries)
		if every(f.tricks.loseDelivery, number) && !f.lost {
			f.lost = true // or the number would stay the same, and all were lost
			continue
		}
		f.deliveries = append(f.deliveries, d)
		if every(f.tricks.feign, number) {
			d.State = delivery.Delivered
			continue
		}
		f.sending.Go(func() { f.deliver(e, endpoint, d, number) })
	}
	if e.deliveries+e.skipped == 0 {
		e.skipped = 1
		f.deliveries = append(f.deliveries, &deliveryView{
			ID: fakeID(delivery.DeliveryPrefix), EventID: e.id.Format(delivery.EventPrefix), Tenant: e.tenant,
			State: delivery.Skipped, SkipReason: delivery.TypeNotSubscribed,
		})
	}
}

func (f *fake) deliver(e *fakeEvent, endpoint *fakeEndpoint, d *deliveryView, number int) {
	delay := time.NewTimer(f.tricks.wait) // a slow platform is what the test is about
	defer delay.Stop()
	<-delay.C
	body := e.data
	if !e.raw {
		body = endpoint.contract.Envelope.Render(policy.Fields{ID: d.EventID, Type: e.eventType, AcceptedAt: e.id.Time()}, e.data)
	}
	if every(f.tricks.reencode, number) {
		body = bytes.ReplaceAll(body, []byte(`":`), []byte(`" :`))
	}
	secret := endpoint.secret
	if every(f.tricks.forge, number) {
		secret = webhook.GenerateSecret()
	}
	status := f.send(endpoint, d.EventID, body, secret)
	if every(f.tricks.twice, number) {
		f.send(endpoint, d.EventID, append([]byte(" "), body...), secret)
	}
	f.complete(endpoint, d, status)
}

func (f *fake) send(endpoint *fakeEndpoint, id string, body []byte, secret webhook.Secret) (status int) {
	now := time.Now()
	signature, _ := webhook.Sign(id, now, body, secret)
	if endpoint.contract.Signature.Scheme == policy.TimestampHex {
		signature, _ = webhook.SignHex(now, body, secret)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, endpoint.URL, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	request.GetBody = nil
	request.Header.Set(webhook.HeaderID, id)
	request.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(webhook.HeaderSignature, signature)
	response, err := f.sender.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

func (f *fake) complete(endpoint *fakeEndpoint, d *deliveryView, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d.LastStatus = status
	switch {
	case status >= 200 && status <= 299:
		d.State = delivery.Delivered
	case status == http.StatusGone:
		d.State, d.DeadReason = delivery.Dead, delivery.Gone
		endpoint.view.Status = delivery.DisabledBySystem
	default:
		d.State, d.NextAttempt = delivery.Pending, time.Now().Add(time.Hour)
		d.LastError = string(delivery.HTTPStatus)
		if status == 0 {
			d.LastError = string(delivery.Timeout)
		}
		endpoint.view.ConsecutiveFailures++
	}
}

// hasRaw says whether some event came with a body of its own.
func (f *fake) hasRaw() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.events, func(e *fakeEvent) bool { return e.raw })
}
