package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFormat_IsForPeople(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"–": -1, "<1 ms": 0, "7 ms": 7 * time.Millisecond, "1.3 s": 1340 * time.Millisecond, "42 s": 42 * time.Second, "3 min": 3 * time.Minute,
	} {
		require.Equal(t, want, short(d))
	}
	require.Equal(t, "–", ms(-1))
	require.Equal(t, "12 ms", ms(12.4))
	require.Equal(t, "1,234,567", grouped(1234567))
	require.Equal(t, "123", grouped(123))
	require.Equal(t, "1 event", plural(1, "event"))
	require.Equal(t, "2,000 events", plural(2000, "event"))
	require.Equal(t, "clí…", fit("clínica", 4))
	require.Equal(t, []string{"A     B", "ção  10", "b     1  x"}, table([][]string{{"A", "B", ""}, {"ção", "10", ""}, {"b", "1", "x"}}, 1))
}

func TestQuantile_IsTheNearestRank(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Duration(-1), quantile(nil, 0.5))
	require.Equal(t, time.Duration(7), quantile([]time.Duration{7}, 0.99))
	list := make([]time.Duration, 200)
	for i := range list {
		list[i] = time.Duration(i + 1)
	}
	require.Equal(t, time.Duration(100), quantile(list, 0.5))
	require.Equal(t, time.Duration(198), quantile(list, 0.99))
	require.Equal(t, time.Duration(1), quantile(list, 0))
	require.Equal(t, time.Duration(200), quantile(list, 1))
}
