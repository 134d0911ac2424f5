package delivery

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValidTraceParent(t *testing.T) {
	t.Parallel()
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	require.True(t, ValidTraceParent(good))
	for _, bad := range []string{
		"", " " + good, good + "-x", strings.ToUpper(good),
		"01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319cxb7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
		"00-0af7651916cd43dd8448eb211c80319\n-b7ad6b7169203331-01",
	} {
		require.False(t, ValidTraceParent(bad), "%q", bad)
	}
}
