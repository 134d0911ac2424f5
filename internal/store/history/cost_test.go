package history

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestProbe(t *testing.T) {
	s, _ := seeded(t)
	w := makeWorld(s, time.Now())
	for _, f := range []DeliveryFilter{{}, {Tenant: w.tenants[0]}, {EndpointID: w.endpoints[0]}, {EventID: w.events[3]}} {
		list := f.listing()
		sql, parameters := list.statement(f, f.span(), 51)
		var out []byte
		tx, err := s.store.Pool().BeginTx(t.Context(), snapshot)
		require.NoError(t, err)
		err = tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, append([]any{planned}, parameters...)...).Scan(&out)
		require.NoError(t, err)
		tx.Rollback(t.Context())
		var x []map[string]any
		require.NoError(t, json.Unmarshal(out, &x))
		delete(x[0], "Plan")
		b, _ := json.Marshal(x[0])
		fmt.Println(string(b))
	}
	_ = delivery.ID{}
}
