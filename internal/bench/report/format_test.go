package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeconds_HaveNoBinaryRemainder(t *testing.T) {
	t.Parallel()
	sum := 4.0
	for range 3 {
		sum += 0.27 // 4.81, and something far behind it
	}
	for value, want := range map[float64]string{sum: "4.81 s", 8: "8 s", 0.5: "0.5 s", 10.005: "10.01 s"} {
		require.Equal(t, want, seconds(value))
	}
}
