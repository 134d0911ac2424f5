package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A restart finds everything as it was: the schema, the key, the data.
func TestPrivatePostgreSQL_RestartsOnItsOwnData(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	options := testOptions("")
	options.DataDir = reachableTempDir(t)
	first := start(t, options)
	first.endpoint("acme", receiver.URL, nil)
	first.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	first.awaitStates("acme", map[string]int{"delivered": 1})
	require.NoError(t, first.stop())

	second := start(t, options)
	second.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":2}`)
	second.awaitStates("acme", map[string]int{"delivered": 2})
}
