package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func (m *memory) SourceHours(_ context.Context, id delivery.ID, since, _ time.Time) ([]SourceHour, error) {
	end, err := m.begin()
	defer end()
	return []SourceHour{{Source: id, Hour: since.Add(time.Hour), Accepted: 5, Duplicates: 4, Filtered: 3, Rejected: 2}}, err
}

func (m *memory) SourceSums(_ context.Context, tenant string, since, _ time.Time) ([]SourceHour, error) {
	end, err := m.begin()
	defer end()
	var sums []SourceHour
	for id, source := range m.sources {
		if tenant == "" || source.Tenant == tenant {
			sums = append(sums, SourceHour{Source: id, Hour: since, Accepted: 7})
		}
	}
	return sums, err
}

func TestSourceSeries_EveryHourAndSums(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id, path := r.addSource(t, "acme", "stripe", "")
	const bounds = "?since=2026-03-01T10:30:00Z&until=2026-03-01T13:00:00Z"
	series := r.call("GET", path+"/series"+bounds, readKey, "").object(t, http.StatusOK)
	zeros := func(hour string) map[string]any {
		return map[string]any{"hour": hour, "accepted": 0., "duplicates": 0., "filtered": 0., "rejected": 0.}
	}
	require.Equal(t, []any{
		zeros("2026-03-01T10:00:00.000Z"),
		map[string]any{"hour": "2026-03-01T11:00:00.000Z", "accepted": 5., "duplicates": 4., "filtered": 3., "rejected": 2.},
		zeros("2026-03-01T12:00:00.000Z"),
	}, series["data"])
	r.call("GET", path+"/series", globexKey, "").problem(t, NotFound)
	r.call("GET", path+"/series?since=2026-03-01T10:30:00Z&until=2026-03-01T10:00:00Z", readKey, "").problem(t, InvalidRequest)

	sums := r.call("GET", "/v1/stats/sources"+bounds, readKey, "").object(t, http.StatusOK)
	require.Equal(t, []any{map[string]any{
		"source_id": id.Format(delivery.SourcePrefix), "accepted": 7., "duplicates": 0., "filtered": 0., "rejected": 0.,
	}}, sums["data"])
	require.Empty(t, r.call("GET", "/v1/stats/sources", globexKey, "").object(t, http.StatusOK)["data"])
}
