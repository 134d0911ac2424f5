package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestWorklist_A07_PageByPageWhileItIsWorkedOff(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	acme, globex := s.tenant("acme"), s.tenant("globex")
	a, b, c := s.endpoint(acme), s.endpoint(acme), s.endpoint(globex)
	now := time.Now().UTC().Truncate(time.Millisecond)
	var ids []delivery.ID // oldest first
	for i := range 7 {
		endpoint, tenant := a, acme
		if i == 3 {
			endpoint, tenant = c, globex
		}
		_, made := s.write(seedEvent{tenant, "a.b", now.Add(time.Duration(i-10) * time.Minute), []seedDelivery{{endpoint, delivery.Dead}}})
		ids = append(ids, made...)
	}
	_, others := s.write(
		seedEvent{acme, "x.y", now, []seedDelivery{{b, delivery.Dead}, {a, delivery.Delivered}, {a, delivery.Pending}}},
		seedEvent{acme, "a.b", now, []seedDelivery{{a, delivery.Dead}}})
	s.exec(`UPDATE malote.deliveries SET trigger = 'test' WHERE shard = $1 AND id = $2`, others[3].Shard(), others[3])
	s.exec(`UPDATE malote.deliveries SET last_error = 'timeout', reason = 'too_old' WHERE shard = $1 AND id = $2`, ids[5].Shard(), ids[5])
	list := func(asked Worklist) (found []delivery.ID, next delivery.ID) {
		t.Helper()
		page, err := r.Worklist(t.Context(), asked)
		require.NoError(t, err)
		for _, d := range page.Deliveries {
			require.NotEmpty(t, d.EventType)
			found = append(found, d.ID)
		}
		return found, page.Next
	}
	last := others[0]
	found, next := list(Worklist{Limit: 3})
	require.Equal(t, ids[:3], found)
	require.Equal(t, ids[2], next)
	// What is worked off meanwhile moves nothing.
	s.exec(`UPDATE malote.deliveries SET state = 'resolved' WHERE shard = $1 AND id = ANY ($2)`, a.Shard(), ids[:3])
	found, next = list(Worklist{Limit: 3, After: next})
	require.Equal(t, ids[3:6], found)
	found, next = list(Worklist{Limit: 3, After: next})
	require.Equal(t, []delivery.ID{ids[6], last}, found)
	require.True(t, next.IsZero())

	found, next = list(Worklist{DeadFilter: DeadFilter{Tenant: acme}, NewestFirst: true, Limit: 2})
	require.Equal(t, []delivery.ID{last, ids[6]}, found)
	found, _ = list(Worklist{DeadFilter: DeadFilter{Tenant: acme}, NewestFirst: true, After: next})
	require.Equal(t, []delivery.ID{ids[5], ids[4]}, found)

	for _, test := range []struct {
		filter DeadFilter
		want   []delivery.ID
	}{
		{DeadFilter{Tenant: globex}, []delivery.ID{ids[3]}},
		{DeadFilter{EndpointID: b}, []delivery.ID{last}},
		{DeadFilter{EndpointID: delivery.FloorID(now)}, nil},
		{DeadFilter{EventType: "x.y"}, []delivery.ID{last}},
		{DeadFilter{Tenant: acme, EventType: "x.y"}, []delivery.ID{last}},
		{DeadFilter{ErrorCode: delivery.Timeout}, []delivery.ID{ids[5]}},
		{DeadFilter{Tenant: acme, Reason: delivery.TooOld}, []delivery.ID{ids[5]}},
	} {
		found, _ = list(Worklist{DeadFilter: test.filter})
		require.Equal(t, test.want, found, "%+v", test.filter)
		dead, err := r.DeadLetters(t.Context(), test.filter)
		require.NoError(t, err)
		count := 0
		for _, group := range dead.Groups {
			count += group.Count
		}
		require.Equal(t, len(test.want), count, "the figures are of the same: %+v", test.filter)
	}
}
