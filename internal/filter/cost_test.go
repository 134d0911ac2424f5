package filter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// Bodies that are made to keep a filter busy, by name.
var heavy = map[string]string{
	"texts":  fmt.Sprintf(`{"a":"%s","b":"%[1]sy","l":[%s0]}`, strings.Repeat("x", 400<<10), strings.Repeat("0,", 1000)),
	"lists":  fmt.Sprintf(`{"a":[%s0],"b":[%[1]s1],"l":[%[1]s2]}`, strings.Repeat("123,", 50_000)),
	"deep":   fmt.Sprintf(`{"a":%s%s,"b":%[1]s%[2]s,"l":[%[3]s0]}`, strings.Repeat("[", 2000), strings.Repeat("]", 2000), strings.Repeat("0,", 1000)),
	"names":  fmt.Sprintf(`{"a":{%s"z":0},"b":{%[1]s"z":1},"l":[%s0]}`, names(20_000), strings.Repeat("0,", 1000)),
	"digits": fmt.Sprintf(`{"a":%s,"b":%[1]s.5,"l":[%s0]}`, strings.Repeat("1", 300<<10), strings.Repeat("0,", 1000)),
}

func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"name%d":%d,`, i, i)
	}
	return b.String()
}

// Each is done a million times, if it can be. What fails or is of the wrong type
// costs as well.
var repeated = []string{
	"data.a == data.b", "data.a != data.b", "data.a < data.b", "data.a + data.b == data.a", "size(data.a) > 1",
	"data.a.contains(data.b)", "data.a.contains('xxxxy')", "data.a.startsWith(data.b)", "data.a.endsWith(data.b)", "data.a.matches('(x+x+)+y')",
	"data.a in [data.b]", "data.a in data.l", "data.a in data.b", "'q' in data.a", "-7 in data.a", "data.a in {'q': 1}", "data[data.a] == 1",
	"data.a[data.b] == 1", "data.a[0] == 1", "data.a.q == 1", "has(data.a.q)", "int(data.a) == 1", "double(data.a) == 1.0",
	"string(data.a) == 'q'", "bytes(data.a) == b'q'", "timestamp(data.a) == occurred_at", "duration(data.a) == duration('1s')", "bool(data.a)",
	"type(data.a) == string", "dyn(data.a) == 1", "[data.a, data.a] == [data.b, data.b]", "{'q': data.a} == {'q': data.b}",
	"data.a.exists(z, true)", "data.a.all(z, z == data.b)", "data.a.exists_one(z, z == 1)", "data.a.map(z, z) == []", "data.a.filter(z, true).size() == 1",
	"string(occurred_at) == 'q'", "occurred_at + duration('1s') == occurred_at", "1 / 0 == 1", "[1,2,3,4,5,6,7,8,9].size() == 1",
}

// The estimate made beforehand refuses many of these. It is left out: what may
// run is bounded by what it takes.
func TestMatch_NothingTakesMoreThanItMay(t *testing.T) {
	t.Parallel()
	filters := make(map[string]*Filter)
	for _, operation := range repeated {
		filters[operation] = unchecked(t, "data.l.all(x, data.l.all(y, ("+operation+") || true))")
	}
	for kind, body := range heavy {
		event := NewEvent(&delivery.Event{}, []byte(body))
		for operation, f := range filters {
			if (kind == "deep" || kind == "digits") && !strings.Contains(operation, "data.a == data.b") {
				continue // nothing else looks deeper, or at digits
			}
			event.spent = 0
			got, err := f.Match(event)
			require.ErrorIs(t, err, ErrTooExpensive, "%s: %s", kind, operation)
			require.True(t, got)
			// At most one operation beyond the limit, on whatever an event may hold.
			require.LessOrEqual(t, event.spent, uint64(MaxSteps+1<<20), "%s: %s", kind, operation)
		}
	}
}

// unchecked compiles without asking what an expression may cost.
func unchecked(t *testing.T, source string) *Filter {
	t.Helper()
	parsed, issues := events().cel.Compile(source)
	require.NoError(t, issues.Err(), source)
	f, err := events().program(parsed)
	require.NoError(t, err, source)
	return f
}

func TestMatch_CostsWhatItLooksAt(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 16_000)
	body := fmt.Sprintf(`{"s":"%s","t":"%[1]sy","l":[%s0],"m":[%[2]s1],"short":[1]}`, text, strings.Repeat("0,", 999))
	for source, steps := range map[string][2]uint64{
		`type == "a"`:                     {2, 5},
		`data.short.size() == 1`:          {3, 10},
		`data.s.contains("q")`:            {1000, 1020},
		`data.s == data.t`:                {2000, 2020},
		`data.s + data.t == "q"`:          {6000, 6100}, // both are read, their sum is made, and read
		`data.s.matches("q")`:             {3000, 10_000},
		`data.l == data.m`:                {2000, 2100},
		`data.l == data.short`:            {1, 20}, // their sizes say it all
		`1 in data.l`:                     {1000, 1020},
		`data.l.all(x, x == 0)`:           {5000, 10_000},
		`type == "b" && data.s == data.t`: {2, 10},
		`type in ["a", "b", "c"]`:         {3, 30},
	} {
		f, err := Compile(source)
		require.NoError(t, err, source)
		event := NewEvent(&delivery.Event{Type: "a"}, []byte(body))
		_, err = f.Match(event)
		require.NoError(t, err, source)
		require.GreaterOrEqual(t, event.spent, steps[0], source)
		require.LessOrEqual(t, event.spent, steps[1], source)
	}
}

// Many endpoints with costly filters must not hold up the publish that they are
// in: some filters are asked, and the rest let the event through.
func TestMatch_AllFiltersOfAnEventTogetherAreBounded(t *testing.T) {
	t.Parallel()
	costly, err := Compile("data.l.all(x, x >= 0)")
	require.NoError(t, err)
	refuses, err := Compile("false")
	require.NoError(t, err)
	event := NewEvent(&delivery.Event{}, []byte(heavy["lists"]))
	got, err := refuses.Match(event)
	require.NoError(t, err)
	require.False(t, got)
	for range 1000 {
		got, err = costly.Match(event)
		require.ErrorIs(t, err, ErrTooExpensive)
		require.True(t, got)
	}
	require.LessOrEqual(t, event.spent, uint64(eventSteps+2*MaxSteps))
	got, err = refuses.Match(event)
	require.ErrorIs(t, err, ErrTooExpensive)
	require.True(t, got)
}

// A call is charged once it is over. For this one that would be after seconds.
func TestMatch_PatternsDoNotBeginWhatTheyMayNotEnd(t *testing.T) {
	t.Parallel()
	f, err := Compile(`data.matches("(x?){60}y")`)
	require.NoError(t, err)
	event := NewEvent(&delivery.Event{}, []byte(`"`+strings.Repeat("x", MaxData-2)+`"`))
	_, err = event.decoded()
	require.NoError(t, err)
	began := time.Now()
	got, err := f.Match(event)
	require.ErrorIs(t, err, ErrTooExpensive)
	require.True(t, got)
	require.Less(t, time.Since(began), time.Second)
}
