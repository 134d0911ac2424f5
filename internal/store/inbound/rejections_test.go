package inbound

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// listAll reads all pages of a length.
func (w *world) listAll(filter Filter, limit int) (all []Rejection) {
	w.Helper()
	for after := (delivery.ID{}); ; {
		page, next, err := w.Rejections(w.Context(), filter, after, limit)
		require.NoError(w, err)
		if limit > 0 {
			require.LessOrEqual(w, len(page), limit)
		}
		all = append(all, page...)
		if after = next; next.IsZero() {
			return all
		}
	}
}

func TestRejections_ListsNewestFirstPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := time.Now().UTC().Add(-time.Hour).Truncate(time.Millisecond)
	sources := map[string][]delivery.ID{}
	for i := range 3 {
		tenant := fmt.Sprintf("t%d", i)
		sources[tenant] = []delivery.ID{newID(tenant, began), newID(tenant, began)}
	}
	var all []Rejection
	for flush := range 12 {
		at := began.Add(time.Duration(flush) * time.Minute)
		w.now = func() time.Time { return at }
		var batch []Rejection
		for i := range 4 {
			tenant := fmt.Sprintf("t%d", (flush+i)%3)
			batch = append(batch, Rejection{
				SourceID: sources[tenant][flush%2], Tenant: tenant, Reason: "wrong_secret", Detail: fmt.Sprint(flush, i),
				Count: int64(i + 1), FirstAt: at.Add(-50 * time.Second), LastAt: at.Add(-10 * time.Second),
			})
		}
		require.NoError(t, w.Record(t.Context(), batch))
		all = append(batch, all...)
	}
	for name, test := range map[string]struct {
		filter Filter
		match  func(Rejection) bool
	}{
		"all":    {Filter{}, func(Rejection) bool { return true }},
		"tenant": {Filter{Tenant: "t1"}, func(r Rejection) bool { return r.Tenant == "t1" }},
		"source": {Filter{SourceID: sources["t2"][1]}, func(r Rejection) bool { return r.SourceID == sources["t2"][1] }},
		"since": {Filter{Since: began.Add(5*time.Minute - 10*time.Second)}, func(r Rejection) bool {
			return !r.LastAt.Before(began.Add(5*time.Minute - 10*time.Second))
		}},
		"a moment later": {Filter{Since: began.Add(5*time.Minute - 10*time.Second + time.Microsecond)}, func(r Rejection) bool {
			return r.LastAt.After(began.Add(5*time.Minute - 10*time.Second))
		}},
		"together": {Filter{Tenant: "t0", SourceID: sources["t0"][0], Since: began.Add(3 * time.Minute)}, func(r Rejection) bool {
			return r.SourceID == sources["t0"][0] && !r.LastAt.Before(began.Add(3*time.Minute))
		}},
		"another's source": {Filter{Tenant: "t0", SourceID: sources["t1"][0]}, func(Rejection) bool { return false }},
		"nobody":           {Filter{Tenant: "nobody"}, func(Rejection) bool { return false }},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(r Rejection) bool { return !test.match(r) })
		for _, limit := range []int{1, 7, 0} {
			got := w.listAll(test.filter, limit)
			require.Len(t, got, len(want), name)
			require.True(t, slices.IsSortedFunc(got, func(a, b Rejection) int { return strings.Compare(b.ID.String(), a.ID.String()) }), name)
			for i := range got {
				require.Equal(t, got[i].SourceID.Shard(), got[i].ID.Shard())
				got[i].ID = delivery.ID{}
			}
			require.ElementsMatch(t, want, got, name)
		}
	}
}

// While the door records, whoever reads page by page misses nothing that was
// there, and sees nothing twice.
func TestRejections_WhileTheyAreRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := newID("acme", time.Now())
	record := func(n int) error {
		batch := make([]Rejection, n)
		for i := range batch { // the requests were long ago
			batch[i] = Rejection{SourceID: source, Tenant: "acme", Reason: "x", Count: 1, FirstAt: time.Now().Add(-time.Hour), LastAt: time.Now().Add(-time.Hour)}
		}
		return w.Record(t.Context(), batch)
	}
	require.NoError(t, record(60))
	before := w.listAll(Filter{SourceID: source}, 0)
	require.Len(t, before, 60)
	var running sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		running.Go(func() {
			for range 10 {
				if errs[i] = record(5); errs[i] != nil {
					return
				}
			}
		})
	}
	seen := map[delivery.ID]int{}
	for _, r := range w.listAll(Filter{SourceID: source}, 3) {
		seen[r.ID]++
		require.Equal(t, 1, seen[r.ID])
	}
	running.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	for _, r := range before {
		require.Equal(t, 1, seen[r.ID])
	}
	require.Equal(t, 210, w.count(`SELECT count(*) FROM malote.rejections`))
}

func TestRecord_NothingStopsTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.Record(t.Context(), nil))
	now := time.Now().UTC().Truncate(time.Microsecond)
	details := map[string]string{
		"": "", "plain": "plain", "a\x00b": "a\uFFFDb", "\xff\xfe": "\uFFFD",
		strings.Repeat("x", MaxDetail):            strings.Repeat("x", MaxDetail),
		strings.Repeat("x", MaxDetail) + "y":      strings.Repeat("x", MaxDetail),
		strings.Repeat("x", MaxDetail-1) + "é":    strings.Repeat("x", MaxDetail-1),
		strings.Repeat("x", MaxDetail-1) + "\xff": strings.Repeat("x", MaxDetail-1),
	}
	var batch []Rejection
	want := map[string]int{}
	for detail, kept := range details {
		batch = append(batch, Rejection{SourceID: newID("acme", now), Tenant: "acme", Reason: "x", Detail: detail, Count: 1, FirstAt: now, LastAt: now})
		want[kept]++
	}
	require.NoError(t, w.Record(t.Context(), batch))
	got := map[string]int{}
	for _, r := range w.listAll(Filter{}, 0) {
		got[r.Detail]++
	}
	require.Equal(t, want, got)
}

func TestRecord_AnIDIsNotBeforeTheRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := time.Now().UTC().Truncate(time.Millisecond)
	w.now = func() time.Time { return last.Add(-time.Minute) } // the clock was set back
	require.NoError(t, w.Record(t.Context(), []Rejection{{SourceID: newID("acme", last), Tenant: "acme", Reason: "x", Count: 1, FirstAt: last, LastAt: last}}))
	require.Len(t, w.listAll(Filter{Since: last}, 0), 1)
}

func TestRemoveOldRejections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	for i, age := range []time.Duration{KeepRejections + time.Minute, KeepRejections - time.Minute, 0} {
		w.now = func() time.Time { return now.Add(-age) }
		batch := make([]Rejection, []int{2500, 3, 2}[i])
		for j := range batch {
			tenant := fmt.Sprintf("t%d", j%7)
			batch[j] = Rejection{SourceID: newID(tenant, now), Tenant: tenant, Reason: "x", Count: 1, FirstAt: w.now(), LastAt: w.now()}
		}
		require.NoError(t, w.Record(t.Context(), batch))
	}
	removed, err := w.RemoveOldRejections(t.Context(), now.AddDate(1, 0, 0))
	require.NoError(t, err)
	require.EqualValues(t, 2500, removed, "by the clock that is behind")
	require.Equal(t, 5, w.count(`SELECT count(*) FROM malote.rejections`))
	removed, err = w.RemoveOldRejections(t.Context(), now.AddDate(-1, 0, 0))
	require.NoError(t, err)
	require.Zero(t, removed)
}
