package filter

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// One environment serves all goroutines, whatever they ask of it first. The race
// detector watches.
func TestCompile_ByManyAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		fresh := newEnvironment(eventVariables)
		var compilers sync.WaitGroup
		for range 2 {
			compilers.Go(func() {
				_, err := fresh.compile(`unknown_name == 1`)
				assert.Error(t, err)
			})
			compilers.Go(func() {
				_, err := fresh.compile(`[1, 2].exists(n, n == 1)`)
				assert.NoError(t, err)
			})
		}
		compilers.Wait()
	}
}
