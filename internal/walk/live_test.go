package walk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// A page that is open follows what happens: without being loaded anew, which
// would forget what the test leaves there.
func TestNow_FollowsWhatHappens(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	paused := h.endpoint("acme", playReceiver(t, receiver.Polite()), nil)
	h.must(200, "POST", "/v1/webhook_endpoints/"+paused+"/pause", nil)
	b := h.tab(h.takeOver())
	require.Equal(t, 200, b.open("/now"))
	b.await("document.querySelector('[data-live]').classList.contains('on')")
	before := b.text("#figures .figures")
	eval[bool](b, "window.stayed = true")
	h.publish("acme", "order.created", nil)
	b.await("document.querySelector('#figures a[href*=pending], #figures .figures').innerText.replace(/\\s+/g, ' ').trim() !== " + quoted(before))
	require.True(t, eval[bool](b, "window.stayed"))
}
