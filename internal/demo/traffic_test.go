package demo

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func exampleTraffic(run string) traffic {
	return traffic{run: run, seed: 5, rate: 100, events: 500, tenants: []string{"a", "b", "c"}}
}

func TestTraffic_IsSteadyAndTheSameForASeed(t *testing.T) {
	t.Parallel()
	all := slices.Collect(exampleTraffic("r").parcels())
	require.Equal(t, all, slices.Collect(exampleTraffic("r").parcels()))
	keys, batches, repeated, raw, coalesced, tenants := map[string]bool{}, 0, 0, 0, 0, map[string]int{}
	for _, p := range all {
		require.Equal(t, time.Duration(len(keys))*10*time.Millisecond, p.due)
		for _, e := range p.events {
			require.False(t, keys[e.key], "every event has a key of its own, so that it can be sent again")
			keys[e.key] = true
			tenants[e.tenant]++
			require.Equal(t, p.events[0].tenant, e.tenant)
			if e.raw {
				raw++
			}
			if e.Entity != "" {
				coalesced++
			}
		}
		if len(p.events) > 1 {
			batches++
			require.False(t, p.repeated)
		}
		if p.repeated {
			repeated++
		}
	}
	require.Len(t, keys, 500)
	require.Len(t, tenants, 3)
	for name, n := range map[string]int{"batches": batches, "repeated": repeated, "raw": raw, "coalesced": coalesced} {
		require.Positive(t, n, name)
	}
	other := slices.Collect(exampleTraffic("s").parcels())
	require.NotEqual(t, all[0].events[0].key, other[0].events[0].key, "another run's events are others")
	require.Equal(t, all[0].events[0].Data, other[0].events[0].Data)
}

func TestTraffic_RequestsHoldTheExactBytes(t *testing.T) {
	t.Parallel()
	for p := range exampleTraffic("r").parcels() {
		body := p.body()
		require.True(t, json.Valid(body))
		var list []fakeRequest
		if len(p.events) == 1 {
			list = make([]fakeRequest, 1)
			require.NoError(t, json.Unmarshal(body, &list[0]))
		} else {
			var batch struct{ Events []fakeRequest }
			require.NoError(t, json.Unmarshal(body, &batch))
			list = batch.Events
		}
		require.Len(t, list, len(p.events))
		for i, e := range p.events {
			require.Equal(t, e.tenant, list[i].Tenant)
			require.Equal(t, e.Type, list[i].Type)
			require.Equal(t, e.key, list[i].IdempotencyKey)
			if e.raw {
				require.Equal(t, e.Data, list[i].BodyBase64)
				require.Nil(t, list[i].Data)
				continue
			}
			require.True(t, bytes.Equal(e.Data, list[i].Data))
			require.True(t, bytes.Contains(body, append([]byte(`,"data":`), e.Data...)))
		}
	}
}

func TestCast_IsTwelveTenantsWithEveryManner(t *testing.T) {
	t.Parallel()
	require.Len(t, cast, 12)
	endpoints, good, manners, names := 0, 0, map[string]bool{}, map[string]bool{}
	for _, tenant := range cast {
		for _, r := range tenant.roles {
			e := endpoint{role: r, tenant: tenant.slug}
			require.False(t, names[e.title()])
			names[e.title()], manners[r.character.label] = true, true
			endpoints++
			if r.character.expect == healthy {
				good++
			}
		}
	}
	require.GreaterOrEqual(t, endpoints, 60)
	require.Greater(t, good, endpoints/2, "most just work")
	for _, c := range []character{
		fast, slow, late, outage, resetOutage, dripping, breaking, broken, unavailable, gone, tooLarge, busy, moved, temporary, resetting, silent,
	} {
		require.True(t, manners[c.label], c.label)
	}
}
