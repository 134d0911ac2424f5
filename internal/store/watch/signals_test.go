package watch

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestSignals_ListsNewestFirstPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := time.Now().UTC().Add(-time.Hour).Truncate(time.Millisecond)
	var all []Signal
	for i := range 40 {
		tenant := fmt.Sprintf("t%d", i%3)
		s := Signal{Tenant: tenant, Kind: delivery.DeliveryDead, Detail: fmt.Sprint(i), EventType: "a.b", At: began.Add(time.Duration(i) * time.Second)}
		if i%5 == 0 {
			s.Kind = delivery.ManyFailures
		}
		shard := delivery.ShardOf(tenant)
		s.ID = delivery.NewID(shard, s.At, rand.Reader)
		s.EndpointID, s.DeliveryID, s.EventID = delivery.NewID(shard, s.At, rand.Reader), delivery.NewID(shard, s.At, rand.Reader), delivery.NewID(shard, s.At, rand.Reader)
		w.exec(`INSERT INTO malote.signals (shard, id, tenant, kind, detail, endpoint_id, delivery_id, event_id, event_type, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, shard, s.ID, s.Tenant, s.Kind, s.Detail, s.EndpointID, s.DeliveryID, s.EventID, s.EventType, s.At)
		all = append(all, s)
	}
	slices.Reverse(all)
	for name, test := range map[string]struct {
		filter Filter
		match  func(Signal) bool
	}{
		"all":    {Filter{}, func(Signal) bool { return true }},
		"tenant": {Filter{Tenant: "t1"}, func(s Signal) bool { return s.Tenant == "t1" }},
		"kind":   {Filter{Kind: delivery.ManyFailures}, func(s Signal) bool { return s.Kind == delivery.ManyFailures }},
		"since":  {Filter{Since: began.Add(20 * time.Second)}, func(s Signal) bool { return !s.At.Before(began.Add(20 * time.Second)) }},
		"together": {Filter{Tenant: "t0", Kind: delivery.DeliveryDead, Since: began.Add(9 * time.Second)}, func(s Signal) bool {
			return s.Tenant == "t0" && s.Kind == delivery.DeliveryDead && !s.At.Before(began.Add(9*time.Second))
		}},
		"endpoint":           {Filter{EndpointID: all[3].EndpointID}, func(s Signal) bool { return s.EndpointID == all[3].EndpointID }},
		"endpoint and kind":  {Filter{EndpointID: all[3].EndpointID, Kind: delivery.LagHigh}, func(Signal) bool { return false }},
		"another's endpoint": {Filter{Tenant: "nobody", EndpointID: all[3].EndpointID}, func(Signal) bool { return false }},
		"nobody":             {Filter{Tenant: "nobody"}, func(Signal) bool { return false }},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(s Signal) bool { return !test.match(s) })
		for _, limit := range []int{1, 7, 0} {
			var got []Signal
			for after := (delivery.ID{}); ; {
				page, err := w.Signals(t.Context(), test.filter, after, limit)
				require.NoError(t, err)
				if limit > 0 {
					require.LessOrEqual(t, len(page.Signals), limit)
				}
				got = append(got, page.Signals...)
				if after = page.Next; after.IsZero() {
					break
				}
			}
			require.Len(t, got, len(want), name)
			for i := range want {
				require.Equal(t, want[i], got[i], name)
			}
		}
	}
}
