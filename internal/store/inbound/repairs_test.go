package inbound

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestRepair_GoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.source("acme")
	at := time.Now().UTC().Truncate(time.Microsecond)
	position := func() Repair {
		t.Helper()
		repair, err := w.Position(t.Context(), source)
		require.NoError(t, err)
		return repair
	}
	want := Repair{SourceID: source}
	require.Equal(t, want, position(), "there was none yet")

	require.NoError(t, w.SavePosition(t.Context(), source, Progress{FailedAt: at, LastError: "the token was refused\x00"}))
	want.Tenant, want.FailedAt, want.LastError = "acme", at, "the token was refused\uFFFD"
	require.Equal(t, want, position(), "a failure may be the first that is known")

	require.NoError(t, w.SavePosition(t.Context(), source, Progress{Position: "evt_1", CheckedAt: at, Found: 2}))
	want.Position, want.CheckedAt, want.Found, want.FailedAt, want.LastError = "evt_1", at, 2, time.Time{}, ""
	require.Equal(t, want, position(), "success ends a failure")

	require.NoError(t, w.SavePosition(t.Context(), source, Progress{Position: "evt_1", CheckedAt: at, FailedAt: at.Add(time.Minute), LastError: "503"}))
	want.FailedAt, want.LastError = at.Add(time.Minute), "503"
	require.Equal(t, want, position(), "it fails without having moved")

	require.NoError(t, w.SavePosition(t.Context(), source, Progress{Position: "evt_9", CheckedAt: at.Add(time.Hour), Found: 3}))
	want.Position, want.CheckedAt, want.Found, want.FailedAt, want.LastError = "evt_9", at.Add(time.Hour), 5, time.Time{}, ""
	require.Equal(t, want, position())

	w.deleteSource(source)
	require.Equal(t, Repair{SourceID: source}, position(), "a deleted source has none")
}

func TestRepair_NothingForASourceThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.source("acme")
	w.deleteSource(gone)
	for _, id := range []delivery.ID{gone, newID("acme", time.Now())} {
		require.NoError(t, w.SavePosition(t.Context(), id, Progress{Position: "x", CheckedAt: time.Now()}))
	}
	require.Zero(t, w.count(`SELECT count(*) FROM malote.gap_repairs`))
}

func TestRepair_TwoProcessesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.source("acme")
	var running sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		running.Go(func() {
			for range 5 {
				if errs[i] = w.SavePosition(t.Context(), source, Progress{Position: "p", CheckedAt: time.Now(), Found: 2}); errs[i] != nil {
					return
				}
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	repair, err := w.Position(t.Context(), source)
	require.NoError(t, err)
	require.EqualValues(t, 80, repair.Found)
}

func TestRepairs_PageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := time.Now().UTC().Truncate(time.Microsecond)
	var acmes, all []Repair
	for i := range 11 {
		tenant := []string{"acme", "globex"}[i%2]
		source := w.source(tenant)
		if i == 5 {
			continue // was never compared
		}
		require.NoError(t, w.SavePosition(t.Context(), source, Progress{Position: "p", CheckedAt: at, Found: int64(i)}))
		if i == 6 {
			w.deleteSource(source)
			continue
		}
		repair := Repair{SourceID: source, Tenant: tenant, Position: "p", CheckedAt: at, Found: int64(i)}
		all = append(all, repair)
		if tenant == "acme" {
			acmes = append(acmes, repair)
		}
	}
	for tenant, want := range map[string][]Repair{"": all, "acme": acmes, "nobody": nil} {
		for _, limit := range []int{1, 4, 0} {
			var got []Repair
			for after := (delivery.ID{}); ; {
				page, next, err := w.Repairs(t.Context(), tenant, after, limit)
				require.NoError(t, err)
				got = append(got, page...)
				if after = next; next.IsZero() {
					break
				}
			}
			require.Equal(t, want, got)
		}
	}
}
