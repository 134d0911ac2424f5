package history

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/internal/store/pulse"
)

// BenchmarkPages measures what the pages and lists of those who operate cost, in a
// store with a million deliveries of thirty days, to 10,000 endpoints of 400
// tenants. A tenth of all is one tenant's, with 1,000 endpoints; 5,000 lanes have
// something pending, one of them 20,000.
func BenchmarkPages(b *testing.B) {
	w := newBenchWorld(b)
	for _, page := range w.pages() {
		b.Run(page.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				require.NoError(b, page.run(b.Context()))
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "median-ms")
			b.ReportMetric(took[len(took)-1].Seconds()*1000, "worst-ms")
		})
	}
}

const (
	benchTenants    = 400
	benchEndpoints  = 10_000
	benchDeliveries = 1_000_000
	benchBacklog    = 20_000
	benchDays       = 30
)

type benchWorld struct {
	*Reader
	b     *testing.B
	store *store.Store
	pulse *pulse.Pulse
	now   time.Time

	tenants   []string                 // the first is the big one
	endpoints map[string][]delivery.ID // by tenant
	backlog   delivery.ID
	event     delivery.ID // somewhere in the middle, the big tenant's
	delivered delivery.ID
	key       string
}

func newBenchWorld(b *testing.B) *benchWorld {
	s := pgtest.Open(b)
	w := &benchWorld{Reader: New(s), b: b, store: s, pulse: pulse.New(s), now: time.Now(), endpoints: make(map[string][]delivery.ID)}
	for _, days := range []int{30, 15, 0} {
		require.NoError(b, s.CreatePartitions(b.Context(), w.now.AddDate(0, 0, -days)))
	}
	w.fillEndpoints()
	w.fillDeliveries()
	w.fillBacklog()
	w.fillStats()
	w.exec(`VACUUM ANALYZE`)
	return w
}

func (w *benchWorld) exec(sql string, parameters ...any) {
	w.b.Helper()
	conn, err := w.store.Pool().Acquire(w.b.Context())
	require.NoError(w.b, err)
	defer conn.Release()
	_, err = conn.Exec(w.b.Context(), `SET statement_timeout = 0`)
	require.NoError(w.b, err)
	_, err = conn.Exec(w.b.Context(), sql, parameters...)
	require.NoError(w.b, err, sql)
}

func (w *benchWorld) copy(table string, columns []string, rows [][]any) {
	w.b.Helper()
	_, err := w.store.Pool().CopyFrom(w.b.Context(), pgx.Identifier{"malote", table}, columns, pgx.CopyFromRows(rows))
	require.NoError(w.b, err)
}

func (w *benchWorld) id(tenant string, at time.Time) delivery.ID {
	return delivery.NewID(delivery.ShardOf(tenant), at, rand.Reader)
}

func (w *benchWorld) fillEndpoints() {
	var tenants, endpoints, lanes [][]any
	for i := range benchTenants {
		tenant := fmt.Sprintf("tenant-%d", i)
		w.tenants = append(w.tenants, tenant)
		tenants = append(tenants, []any{delivery.ShardOf(tenant), tenant})
		many := (benchEndpoints - 1000) / (benchTenants - 1)
		if i == 0 {
			many = benchEndpoints - many*(benchTenants-1)
		}
		for range many {
			id := w.id(tenant, w.now.AddDate(0, 0, -benchDays))
			w.endpoints[tenant] = append(w.endpoints[tenant], id)
			endpoints = append(endpoints, []any{id.Shard(), id, tenant, "https://" + tenant + ".example/", "standard"})
			lanes = append(lanes, []any{id.Shard(), id, tenant, 4, 60, 4})
		}
	}
	w.copy("tenants", []string{"shard", "id"}, tenants)
	w.copy("endpoints", []string{"shard", "id", "tenant", "url", "policy"}, endpoints)
	w.copy("lanes", []string{"shard", "endpoint_id", "tenant", "max_in_flight", "lease_seconds", "claim_limit"}, lanes)
	w.backlog = w.endpoints[w.tenants[1]][0]
}

// fillDeliveries spreads events over the days; each goes to one endpoint, every
// fiftieth is dead.
func (w *benchWorld) fillDeliveries() {
	step := benchDays * 24 * time.Hour / benchDeliveries
	at := w.now.Add(-benchDays * 24 * time.Hour)
	var events, closed, attempts, keys [][]any
	flush := func() {
		w.copy("events", []string{"shard", "id", "tenant", "type", "content_type", "body", "idempotency_key", "external_id", "occurred_at", "accepted_at"}, events)
		w.copy("deliveries", []string{"shard", "id", "endpoint_id", "event_id", "tenant", "state", "reason", "trigger", "attempt_count", "last_status", "last_error", "closed_at"}, closed)
		w.copy("attempts", []string{"shard", "delivery_id", "claim_token", "number", "trigger", "scheduled_at", "started_at", "duration_ms", "response_status"}, attempts)
		w.copy("event_keys", []string{"shard", "scope", "key", "id", "fingerprint", "expires_at"}, keys)
		events, closed, attempts, keys = nil, nil, nil, nil
	}
	body := []byte(`{"some":"event","of":"usual size","and":"nothing special in it, repeated to be as long as most are"}`)
	for i := range benchDeliveries {
		at = at.Add(step)
		tenant := w.tenants[0]
		if i%10 != 0 {
			tenant = w.tenants[1+i%(benchTenants-1)]
		}
		own := w.endpoints[tenant]
		endpoint, event := own[(i/10)%len(own)], w.id(tenant, at)
		id := delivery.NewDeliveryID(event, rand.Reader)
		state, reason, status, code := "delivered", "", 200, ""
		if i%50 == 0 {
			state, reason, status, code = "dead", "attempts_exhausted", 503, "http_status"
		}
		key := fmt.Sprintf("key-%d", i)
		events = append(events, []any{event.Shard(), event, tenant, []string{"invoice.paid", "invoice.voided"}[i%2], "application/json", body, key, fmt.Sprintf("ext-%d", i), at, at})
		closed = append(closed, []any{event.Shard(), id, endpoint, event, tenant, state, reason, "schedule", 1, status, code, at})
		attempts = append(attempts, []any{event.Shard(), id, w.id(tenant, at), 1, "schedule", at, at, 42, status})
		if i > benchDeliveries-benchDeliveries*7/benchDays {
			keys = append(keys, []any{event.Shard(), store.PublishScope(tenant), key, event, []byte("x"), at.AddDate(0, 0, 8)})
		}
		if i == benchDeliveries*9/10 {
			w.event, w.delivered, w.key = event, id, key
		}
		if len(events) == 20_000 {
			flush()
		}
	}
	flush()
}

func (w *benchWorld) fillBacklog() {
	var events, queue [][]any
	add := func(endpoint delivery.ID, tenant string, n int) {
		for range n {
			event := w.id(tenant, w.now.Add(-time.Hour))
			events = append(events, []any{event.Shard(), event, tenant, "invoice.paid", "application/json", []byte("{}"), w.now, w.now})
			queue = append(queue, []any{event.Shard(), delivery.NewDeliveryID(event, rand.Reader), endpoint, event, tenant, "pending", "schedule", w.now, event.Time()})
		}
	}
	lanes := 0
	for _, tenant := range w.tenants {
		for i, endpoint := range w.endpoints[tenant] {
			if lanes++; i%2 == 0 {
				add(endpoint, tenant, 3)
			}
		}
	}
	add(w.backlog, w.tenants[1], benchBacklog)
	w.copy("events", []string{"shard", "id", "tenant", "type", "content_type", "body", "occurred_at", "accepted_at"}, events)
	w.copy("queue", []string{"shard", "id", "endpoint_id", "event_id", "tenant", "status", "trigger", "next_attempt_at", "cycle_started_at"}, queue)
}

func (w *benchWorld) fillStats() {
	w.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, failed, total_ms, le_50, le_250)
		SELECT l.shard, l.endpoint_id, hour, 90, 10, 5000, 80, 20 FROM malote.lanes l
		CROSS JOIN generate_series(date_trunc('hour', now()) - interval '167 hours', date_trunc('hour', now()), interval '1 hour') hour`)
	for {
		done, err := w.pulse.RollUp(w.b.Context(), w.now)
		require.NoError(w.b, err)
		if done == 0 {
			break
		}
	}
	for range 100 {
		require.NoError(w.b, pulse.New(w.store).Beat(w.b.Context(), 2*time.Second, pulse.Counts{OK: 1, Latency: make([]int64, len(pulse.Bounds)+1)}))
	}
}

type benchPage struct {
	name string
	run  func(context.Context) error
}

func (w *benchWorld) worklists() []benchPage {
	list := func(asked Worklist) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := w.Worklist(ctx, asked)
			return err
		}
	}
	grouped := func(f DeadFilter) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := w.DeadLetters(ctx, f)
			return err
		}
	}
	big := DeadFilter{Tenant: w.tenants[0]}
	return []benchPage{
		{"dead, grouped", grouped(DeadFilter{})}, {"dead of a tenant, grouped", grouped(big)},
		{"dead of a type, grouped", grouped(DeadFilter{EventType: "invoice.voided"})},
		{"worklist, oldest", list(Worklist{})}, {"worklist, newest", list(Worklist{NewestFirst: true})},
		{"worklist of a tenant, oldest", list(Worklist{DeadFilter: big})},
		{"worklist, nothing found", list(Worklist{DeadFilter: DeadFilter{EventType: "c"}})},
	}
}

func (w *benchWorld) pages() []benchPage {
	big, small := w.tenants[0], w.tenants[7]
	one := w.endpoints[big][1]
	list := func(f DeliveryFilter) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := w.Deliveries(ctx, f)
			return err
		}
	}
	events := func(f EventFilter) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := w.Events(ctx, f)
			return err
		}
	}
	hours := func(f HourFilter, days int) func(context.Context) error {
		f.Until = w.now.UTC()
		f.Since = f.Until.Truncate(time.Hour).AddDate(0, 0, -days)
		return func(ctx context.Context) error {
			_, err := w.Hours(ctx, f)
			return err
		}
	}
	week, day := w.now.AddDate(0, 0, -7), w.now.AddDate(0, 0, -6)
	return slices.Concat([]benchPage{
		{"lag", func(ctx context.Context) error { _, err := w.Lag(ctx, 20); return err }},
		{"lag of a tenant", func(ctx context.Context) error { _, err := w.LagOf(ctx, big, 20); return err }},
		{"now", func(ctx context.Context) error {
			if _, err := w.pulse.Recent(ctx, time.Minute); err != nil {
				return err
			}
			_, err := w.Lag(ctx, 0)
			return err
		}},
		{"series of all, a day", hours(HourFilter{}, 1)}, {"series of all, a week", hours(HourFilter{}, 7)},
		{"series of a tenant, a week", hours(HourFilter{Tenant: big}, 7)}, {"series of an endpoint, a week", hours(HourFilter{EndpointID: one}, 7)},
		{"deliveries", list(DeliveryFilter{})}, {"deliveries, dead", list(DeliveryFilter{State: delivery.Dead})},
		{"deliveries, pending", list(DeliveryFilter{State: delivery.Pending})},
		{"deliveries, of a type", list(DeliveryFilter{EventType: "invoice.voided"})},
		{"deliveries, of a day last week", list(DeliveryFilter{Since: week, Until: day})},
		{"deliveries, by error", list(DeliveryFilter{ErrorCode: delivery.HTTPStatus})},
		{"deliveries of a big tenant", list(DeliveryFilter{Tenant: big})}, {"deliveries of a small tenant", list(DeliveryFilter{Tenant: small})},
		{"deliveries of a big tenant, of a type", list(DeliveryFilter{Tenant: big, EventType: "invoice.paid"})},
		{"deliveries of a big tenant, by error", list(DeliveryFilter{Tenant: big, ErrorCode: delivery.HTTPStatus})},
		{"deliveries of a big tenant, of a day last week", list(DeliveryFilter{Tenant: big, Since: week, Until: day})},
		{"deliveries of an endpoint", list(DeliveryFilter{EndpointID: one})},
		{"deliveries of an endpoint, delivered", list(DeliveryFilter{EndpointID: one, State: delivery.Delivered})},
		{"deliveries of an endpoint with a backlog, pending", list(DeliveryFilter{EndpointID: w.backlog, State: delivery.Pending})},
		{"dead letters of a big tenant", list(DeliveryFilter{Tenant: big, State: delivery.Dead})},
		{"dead letters of a big tenant, by reason", list(DeliveryFilter{Tenant: big, State: delivery.Dead, Reason: delivery.AttemptsExhausted})},
		{"dead letters of an endpoint", list(DeliveryFilter{EndpointID: one, State: delivery.Dead})},
		{"events of a big tenant", events(EventFilter{Tenant: big})}, {"events of a big tenant, of a type", events(EventFilter{Tenant: big, Type: "invoice.paid"})},
		{"events of a big tenant, by external id", events(EventFilter{Tenant: big, ExternalID: "ext-900000"})},
		{"events of a big tenant, by key", events(EventFilter{Tenant: big, IdempotencyKey: w.key})},
	}, w.worklists(), w.lookups(), []benchPage{
		{"nothing found: deliveries, discarded", list(DeliveryFilter{State: delivery.Discarded})},
		{"nothing found: deliveries, by error", list(DeliveryFilter{ErrorCode: delivery.TLS})},
		{"nothing found: deliveries, of a type", list(DeliveryFilter{EventType: "c"})},
		{"nothing found: deliveries of a big tenant, of a type", list(DeliveryFilter{Tenant: big, EventType: "c"})},
		{"nothing found: dead letters, by reason", list(DeliveryFilter{State: delivery.Dead, Reason: delivery.Gone})},
		{"nothing found: deliveries of a big tenant, by error", list(DeliveryFilter{Tenant: big, ErrorCode: delivery.TLS})},
		{"nothing found: dead letters of a big tenant, by reason", list(DeliveryFilter{Tenant: big, State: delivery.Dead, Reason: delivery.Gone})},
		{"nothing found: deliveries of an endpoint, of a type", list(DeliveryFilter{EndpointID: one, EventType: "c"})},
		{"nothing found: events of a big tenant, of a type", events(EventFilter{Tenant: big, Type: "c"})},
		{"nothing found: events of a big tenant, by key", events(EventFilter{Tenant: big, IdempotencyKey: "none"})},
	})
}

func (w *benchWorld) lookups() []benchPage {
	return []benchPage{
		{"an event with its deliveries", func(ctx context.Context) error {
			if _, err := w.Event(ctx, w.event); err != nil {
				return err
			}
			_, err := w.DeliveriesOfEvent(ctx, w.event)
			return err
		}},
		{"a delivery with its attempts", func(ctx context.Context) error { _, _, err := w.Delivery(ctx, w.delivered); return err }},
		{"search by key, all tenants", func(ctx context.Context) error { _, err := w.EventsByKey(ctx, "", w.key); return err }},
		{"search by key, one tenant", func(ctx context.Context) error { _, err := w.EventsByKey(ctx, w.tenants[0], w.key); return err }},
		{"a page of an export", func(ctx context.Context) error {
			page, err := w.Events(ctx, EventFilter{Tenant: w.tenants[0], Limit: 100})
			if err != nil {
				return err
			}
			ids := make([]delivery.ID, len(page.Events))
			for i := range page.Events {
				ids[i] = page.Events[i].ID
			}
			_, err = w.Outcomes(ctx, OutcomeFilter{Events: ids, Limit: 1000})
			return err
		}},
	}
}
