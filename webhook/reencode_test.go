package webhook

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A forged body costs no more than its length: not the square of its depth.
func TestDiagnose_IsNotMadeToIndentWhatNobodyWould(t *testing.T) {
	t.Parallel()
	deep := []byte(strings.Repeat("[", 9000) + strings.Repeat("]", 9000))
	wide := []byte(strings.Repeat("[", 60) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 60))
	for _, body := range [][]byte{deep, wide} {
		longest := 0
		for _, original := range originals(body) {
			longest = max(longest, len(original))
		}
		require.LessOrEqual(t, longest, 3*len(body))
	}
	ordinary := []byte(`{"a":[1,2,{"b":{"c":"[[[[[[[[[[[[[[[[[[[["}}]}`)
	require.True(t, isIndentable(ordinary))
	require.True(t, isIndentable([]byte(`"`+strings.Repeat("[", 100_000)+`\""`)), "what is in a string is no depth")
}
