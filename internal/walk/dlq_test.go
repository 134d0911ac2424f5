package walk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// A queue of 120 is worked off: fifty at a time are previewed and sent again, and
// one is resolved with a reason.
func TestDLQ_D09_D10_D11_IsWorkedOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	const all = 120
	h.endpoint("acme", playReceiver(t, receiver.First(all, receiver.Status(400), receiver.Polite())), map[string]any{"policy": "axxos"})
	var events []any
	for i := range all {
		events = append(events, map[string]any{"tenant": "acme", "type": "order.created", "data": map[string]any{"order": i}})
	}
	h.must(202, "POST", "/v1/events/batch", map[string]any{"events": events})
	h.await("acme", "dead", all)

	b := h.tab(h.takeOver())
	require.Equal(t, 200, b.open("/dlq"))
	require.Contains(t, b.text(".figures"), "120")
	var oldest []string
	for _, want := range []int{50, 50, 20} {
		rows := eval[[]string](b, `[...document.querySelectorAll("main input[name=ids]")].map(box => box.value)`)
		require.Len(t, rows, want)
		if oldest == nil {
			oldest = rows
		}
		if want == 50 {
			require.Equal(t, 200, b.follow(".pager [rel=next]"))
		}
	}

	b.open("/dlq")
	b.click("[data-tick-all=ids]")
	require.Equal(t, 50, b.count("main input[name=ids]:checked"))
	require.Equal(t, 200, b.follow("button[name=do][value=preview]"))
	b.await("document.querySelector('dialog').matches(':modal')")
	require.Contains(t, b.text("dialog"), "50")
	require.Equal(t, 200, b.follow("dialog button.primary"))
	delivered := h.await("acme", "delivered", 50)
	var again []string
	for _, row := range delivered {
		again = append(again, idOf(row))
		require.Equal(t, "replay", row["trigger"])
	}
	require.ElementsMatch(t, oldest, again, "those that were ticked, and no others")

	b.open("/dlq")
	require.Contains(t, b.text(".figures"), "70")
	one := eval[string](b, "document.querySelector('main input[name=ids]').value")
	b.click(fmt.Sprintf("main input[value=%q]", one))
	require.Equal(t, 200, b.follow("button[name=do][value=ask]"))
	b.await("document.querySelector('dialog').matches(':modal')")
	b.fill("dialog [name=reason]", "The shop has it from the reconciliation of Monday.")
	require.Equal(t, 200, b.follow("dialog button.primary"))
	row := h.must(200, "GET", "/v1/webhook_deliveries/"+one, nil)
	require.Equal(t, "resolved", row["state"])
	require.Equal(t, "The shop has it from the reconciliation of Monday.", row["resolution"])
	b.open("/dlq")
	require.Contains(t, b.text(".figures"), "69")
	require.Len(t, h.list("/v1/webhook_deliveries", "tenant", "acme", "state", "delivered"), 50, "nothing was sent for it")
}
