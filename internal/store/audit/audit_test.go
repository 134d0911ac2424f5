package audit

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// filled is a log with 40 acts, a second apart from began on.
func filled(t *testing.T, began time.Time) *Log {
	t.Helper()
	at := began
	log := New(pgtest.Open(t), Options{Now: func() time.Time { return at }})
	for i := range 40 {
		act := Act{
			ActorKind: "api_key", ActorID: fmt.Sprintf("key_%d", i%2), ActorName: "n", ByOperator: i%4 == 0,
			Operation: fmt.Sprintf("op-%d", i%5), Address: "203.0.113.9",
		}
		tenant := fmt.Sprintf("t%d", i%3)
		if i%10 == 9 {
			tenant, act.ActorKind = "", "admin_key"
		}
		require.NoError(t, log.Record(t.Context(), act, []Subject{{Tenant: tenant, Kind: "source", ID: fmt.Sprintf("src_%d", i%4), Detail: fmt.Sprint(i)}}))
		at = at.Add(time.Second)
	}
	return log
}

func walk(t *testing.T, log *Log, filter Filter) []Entry {
	t.Helper()
	var all []Entry
	for {
		page, err := log.List(t.Context(), filter)
		require.NoError(t, err)
		if filter.Limit > 0 {
			require.LessOrEqual(t, len(page.Entries), filter.Limit)
		}
		all = append(all, page.Entries...)
		if filter.Before = page.Next; page.Next.IsZero() {
			return all
		}
	}
}

func TestList_NewestFirstPageByPage(t *testing.T) {
	t.Parallel()
	began := time.Now().UTC().Add(-time.Hour).Truncate(time.Millisecond)
	log := filled(t, began)
	all := walk(t, log, Filter{Limit: MaxLimit + 1})
	require.Len(t, all, 40)
	require.True(t, slices.IsSortedFunc(all, func(a, b Entry) int { return slices.Compare(b.ID[:], a.ID[:]) }))
	first := all[39]
	require.Equal(t, Act{
		ActorKind: "api_key", ActorID: "key_0", ActorName: "n", ByOperator: true, Operation: "op-0", Address: "203.0.113.9",
	}, first.Act)
	require.Equal(t, Subject{Tenant: "t0", Kind: "source", ID: "src_0", Detail: "0"}, first.Subject)
	require.WithinDuration(t, time.Now(), first.At, time.Minute, "by the database's clock")

	when := func(e Entry) time.Time { return e.ID.Time() }
	for name, test := range map[string]struct {
		filter Filter
		match  func(Entry) bool
	}{
		"all":         {Filter{}, func(Entry) bool { return true }},
		"tenant":      {Filter{Tenant: "t1"}, func(e Entry) bool { return e.Tenant == "t1" }},
		"kind":        {Filter{ActorKind: "admin_key"}, func(e Entry) bool { return e.ActorKind == "admin_key" }},
		"actor":       {Filter{ActorID: "key_0"}, func(e Entry) bool { return e.ActorID == "key_0" }},
		"own actors":  {Filter{Tenant: "t0", ActorID: "key_0", OwnActors: true}, func(e Entry) bool { return e.Tenant == "t0" && e.ActorID == "key_0" && !e.ByOperator }},
		"own, unsaid": {Filter{Tenant: "t0", OwnActors: true}, func(e Entry) bool { return e.Tenant == "t0" }},
		"operation":   {Filter{Operation: "op-3"}, func(e Entry) bool { return e.Operation == "op-3" }},
		"subject":     {Filter{Tenant: "t2", SubjectID: "src_2"}, func(e Entry) bool { return e.Tenant == "t2" && e.Subject.ID == "src_2" }},
		"since":       {Filter{Since: began.Add(30 * time.Second)}, func(e Entry) bool { return !when(e).Before(began.Add(30 * time.Second)) }},
		"until":       {Filter{Tenant: "t0", Until: began.Add(9 * time.Second)}, func(e Entry) bool { return e.Tenant == "t0" && when(e).Before(began.Add(9*time.Second)) }},
		"long ago":    {Filter{Until: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(1)}, func(Entry) bool { return false }},
		"nobody":      {Filter{Tenant: "nobody"}, func(Entry) bool { return false }},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return !test.match(e) })
		for _, limit := range []int{1, 7, 0} {
			test.filter.Limit = limit
			require.Equal(t, texts(want), texts(walk(t, log, test.filter)), "%s by %d", name, limit)
		}
	}
}

func texts(entries []Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Detail)
	}
	return strings.Join(all, " ")
}

// Whatever a client calls itself, its row is written.
func TestRecord_TakesAnyText(t *testing.T) {
	t.Parallel()
	log := New(pgtest.Open(t), Options{})
	require.NoError(t, log.Record(t.Context(), Act{ActorKind: "user"}, nil), "nothing is nothing")
	odd := "a\x00b\xff" + strings.Repeat("é", MaxText)
	require.NoError(t, log.Record(t.Context(), Act{ActorKind: "user", ActorName: odd, Operation: "o"}, []Subject{
		{Tenant: "acme", Kind: "k", ID: "1", Detail: odd}, {Tenant: "acme", Kind: "k", ID: "2"}, {Kind: "k", ID: "3"},
	}))
	entries := walk(t, log, Filter{})
	require.Len(t, entries, 3)
	for _, e := range entries {
		require.True(t, utf8.ValidString(e.ActorName))
		require.LessOrEqual(t, len(e.ActorName), MaxText)
		require.True(t, strings.HasPrefix(e.ActorName, "a\uFFFDb\uFFFDé"))
		want := delivery.ShardOf("acme")
		if e.Tenant == "" {
			want = 0
		}
		require.Equal(t, want, e.ID.Shard())
	}
}
