package localpg

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharedBuffers_AnEighthWithinBounds(t *testing.T) {
	t.Parallel()
	for memory, want := range map[uint64]uint64{
		128 << 20: 64 << 20, 512 << 20: 64 << 20, 1 << 30: 128 << 20, 2 << 30: 256 << 20, 24 << 30: 3 << 30, 256 << 30: 4 << 30,
	} {
		require.Equal(t, want, sharedBuffers(memory), "of %d MB", memory>>20)
	}
	require.Positive(t, availableMemory())
}
