package walk

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// eventually waits until something is so.
func eventually(t *testing.T, is func() bool, format string, args ...any) {
	t.Helper()
	deadline := time.Now().Add(patience)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !is() {
		if time.Now().After(deadline) {
			require.Failf(t, "it never came", format, args...)
		}
		<-ticker.C
	}
}
