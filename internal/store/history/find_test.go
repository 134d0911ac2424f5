package history

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// named is a world with events that have names: acme's own, one of its source's,
// and one of globex with the same names.
type named struct {
	seeder
	*Reader
	own, brought, theirs, second delivery.ID
	source                       delivery.ID
}

func newNamed(t *testing.T) named {
	t.Helper()
	s, r := seeded(t)
	n := named{seeder: s, Reader: r}
	acme, globex := s.tenant("acme"), s.tenant("globex")
	at := time.Now().Add(-time.Hour)
	n.source = delivery.NewID(delivery.ShardOf(acme), at, rand.Reader)
	s.exec(`INSERT INTO malote.sources (shard, id, tenant, name, provider) VALUES ($1, $2, $3, 's', 'p')`, n.source.Shard(), n.source, acme)
	name := func(tenant, key, external string, source delivery.ID, scope string) delivery.ID {
		ids, _ := s.write(seedEvent{tenant, "a.b", at, nil})
		at = at.Add(time.Second)
		s.exec(`UPDATE malote.events SET idempotency_key = $3, external_id = $4, source_id = $5 WHERE shard = $1 AND id = $2`,
			ids[0].Shard(), ids[0], key, external, source)
		if scope != "" {
			s.exec(`INSERT INTO malote.event_keys (shard, scope, key, id, fingerprint, expires_at) VALUES ($1, $2, $3, $4, '', now() + interval '1 day')`,
				ids[0].Shard(), scope, key, ids[0])
		}
		return ids[0]
	}
	n.own = name(acme, "key", "ext", delivery.ID{}, "publish:acme")
	n.brought = name(acme, "provider-key", "ext", n.source, "source:"+n.source.String())
	n.theirs = name(globex, "key", "ext", delivery.ID{}, "publish:globex")
	n.second = name(acme, "forgotten", "other", delivery.ID{}, "")
	return n
}

func (n named) events(filter EventFilter) []delivery.ID {
	n.t.Helper()
	var ids []delivery.ID
	for {
		page, err := n.Events(n.t.Context(), filter)
		require.NoError(n.t, err)
		for _, e := range page.Events {
			ids = append(ids, e.ID)
		}
		if filter.After = page.Next; page.Next.IsZero() {
			return ids
		}
	}
}

func TestEvents_ByTheirNames(t *testing.T) {
	t.Parallel()
	n := newNamed(t)
	for _, limit := range []int{1, 0} {
		for name, c := range map[string]struct {
			filter EventFilter
			want   []delivery.ID
		}{
			"external":           {EventFilter{Tenant: "acme", ExternalID: "ext"}, []delivery.ID{n.own, n.brought}},
			"external, type":     {EventFilter{Tenant: "acme", ExternalID: "ext", Type: "a.b"}, []delivery.ID{n.own, n.brought}},
			"external, no type":  {EventFilter{Tenant: "acme", ExternalID: "ext", Type: "b"}, nil},
			"source":             {EventFilter{Tenant: "acme", Source: n.source}, []delivery.ID{n.brought}},
			"source, type":       {EventFilter{Tenant: "acme", Source: n.source, Type: "a.b"}, []delivery.ID{n.brought}},
			"another's source":   {EventFilter{Tenant: "globex", Source: n.source}, nil},
			"key":                {EventFilter{Tenant: "acme", IdempotencyKey: "key"}, []delivery.ID{n.own}},
			"a source's key":     {EventFilter{Tenant: "acme", IdempotencyKey: "provider-key"}, []delivery.ID{n.brought}},
			"key, another type":  {EventFilter{Tenant: "acme", IdempotencyKey: "key", Type: "b"}, nil},
			"a key of long ago":  {EventFilter{Tenant: "acme", IdempotencyKey: "forgotten"}, []delivery.ID{n.second}},
			"a key out of range": {EventFilter{Tenant: "acme", IdempotencyKey: "key", Since: n.brought.Time()}, nil},
			"nobody's key":       {EventFilter{Tenant: "globex", IdempotencyKey: "forgotten"}, nil},
		} {
			c.filter.Limit = limit
			require.Equal(t, texts(c.want), texts(n.events(c.filter)), name)
		}
	}
}

func TestEventsByKey_OfOneAndOfAll(t *testing.T) {
	t.Parallel()
	n := newNamed(t)
	for _, c := range []struct {
		tenant, key string
		want        []delivery.ID
	}{
		{"acme", "key", []delivery.ID{n.own}}, {"acme", "provider-key", []delivery.ID{n.brought}}, {"globex", "key", []delivery.ID{n.theirs}},
		{"", "key", []delivery.ID{n.own, n.theirs}}, {"", "provider-key", []delivery.ID{n.brought}},
		{"globex", "provider-key", nil}, {"", "forgotten", nil}, {"nobody", "key", nil},
	} {
		found, err := n.EventsByKey(t.Context(), c.tenant, c.key)
		require.NoError(t, err)
		var ids []delivery.ID
		for _, e := range found {
			ids = append(ids, e.ID)
		}
		require.ElementsMatch(t, texts(c.want), texts(ids), c)
	}
	// A key may outlive its event.
	n.exec(`DELETE FROM malote.events WHERE shard = $1 AND id = $2`, n.own.Shard(), n.own)
	found, err := n.EventsByKey(t.Context(), "acme", "key")
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestDeliveries_F18_ByReasonAndLastError(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	states := []delivery.State{delivery.Dead, delivery.Dead, delivery.Pending, delivery.Skipped}
	_, ids := s.write(eventsAt(tenant, "a.b", time.Now(), len(states), func(i int) []seedDelivery { return []seedDelivery{{endpoint, states[i]}} })...)
	set := func(table string, id delivery.ID, assignment string) {
		s.exec(`UPDATE malote.`+table+` SET `+assignment+` WHERE shard = $1 AND id = $2`, id.Shard(), id)
	}
	set("deliveries", ids[0], `reason = 'gone', last_error = 'http_status'`)
	set("deliveries", ids[1], `reason = 'too_old', last_error = 'timeout'`)
	set("queue", ids[2], `last_error = 'timeout'`)
	set("deliveries", ids[3], `reason = 'endpoint_disabled'`)
	event := func(i int) delivery.ID {
		found, _, err := r.Delivery(t.Context(), ids[i])
		require.NoError(t, err)
		return found.EventID
	}
	for _, base := range []DeliveryFilter{
		{}, {Tenant: tenant}, {EndpointID: endpoint}, {Tenant: tenant, EndpointID: endpoint}, {Tenant: tenant, EventType: "a.b"},
	} {
		list := func(reason delivery.Reason, code delivery.ErrorCode, state delivery.State) []string {
			t.Helper()
			filter := base
			filter.Reason, filter.ErrorCode, filter.State = reason, code, state
			return idsOf(allPages(t, r, filter, nil))
		}
		require.Equal(t, texts(ids[:1]), list(delivery.Gone, "", delivery.Dead))
		require.Equal(t, texts(ids[3:]), list(delivery.EndpointDisabled, "", ""))
		require.Equal(t, []string{ids[2].String(), ids[1].String()}, list("", delivery.Timeout, ""))
		require.Equal(t, []string{ids[2].String()}, list("", delivery.Timeout, delivery.Pending))
		require.Empty(t, list(delivery.Gone, delivery.Timeout, ""))
	}
	require.Equal(t, texts(ids[1:2]), idsOf(allPages(t, r, DeliveryFilter{EventID: event(1), ErrorCode: delivery.Timeout}, nil)))
	require.Empty(t, allPages(t, r, DeliveryFilter{EventID: event(1), Reason: delivery.Gone}, nil))
}
