package walk

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/receiver"
)

// portalLink makes a link to a tenant's own things.
func (h *house) portalLink(tenant, role string) (path string) {
	h.t.Helper()
	return h.must(http.StatusOK, http.MethodPost, "/v1/portal_links", map[string]any{"tenant": tenant, "role": role})["path"].(string)
}

// A customer comes by a link, walks through all that there is, and leaves.
func TestPortal_IsForEverybody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme Ltda")
	h.endpoint("acme", playReceiver(t, receiver.Status(http.StatusBadRequest)), map[string]any{"policy": "gateway"})
	h.publish("acme", "order.paid", nil)
	dead := idOf(h.await("acme", "dead", 1)[0])
	b := newTab(t, h.url)
	b.allow("status of 410", "status of 404")
	b.measureDoor(h.portalLink("acme", "support"), 200)
	require.Equal(t, 200, b.follow("main button"))
	require.NotContains(t, b.where(), "/portal/")
	links := eval[[]string](b, `[...document.querySelectorAll("nav.side a")].map(a => a.getAttribute("href"))`)
	require.Contains(t, links, "/deliveries")
	for _, address := range append(links, "/deliveries/"+dead) {
		require.Equal(t, 200, b.open(address), address)
		require.Contains(t, b.text("header"), "Acme Ltda")
		b.measureShown()
	}
	b.click("[data-menu] summary")
	b.measureShown()
	b.measureDoor("/account", 404)
	require.Equal(t, 200, b.follow(`form[action="/logout"] button`))
	b.measureShown()
	b.measureDoor("/portal/forged", 410)
}

// The browser keeps the frame's session apart, and shows the portal in pages that
// may have it and in no others.
func TestPortal_InAFrame(t *testing.T) {
	t.Parallel()
	var link string
	around := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>x</title><iframe title="Webhooks" src="%s" width="900" height="600"></iframe>`, link)
	}))
	mayFrame := strings.Replace(around, "127.0.0.1", "localhost", 1) // another site than Malote's
	h := newHouse(t, func(o *app.Options) { o.PortalOrigins = []string{mayFrame} })
	h.tenant("acme", "Acme Ltda")
	link = h.url + h.portalLink("acme", "viewer")

	b := newTab(t, h.url)
	b.allow(around, mayFrame, "frame", "Frame", "favicon")
	b.open(mayFrame)
	b.awaitInFrame(`document.querySelector(".portal-name")?.textContent === "Acme Ltda"`)
	b.awaitInFrame(`document.querySelector("[data-live]").textContent === "Live"`) // what its scripts ask for has the session, too
	b.awaitInFrame(`document.querySelector("[name=theme][value=dark]").click() === undefined`)
	b.awaitInFrame(`document.documentElement.dataset.theme === "dark"`) // and so have its forms
	b.open("/deliveries")
	require.Equal(t, "/login?next=%2Fdeliveries", b.path(), "outside of the frame there is no session")

	b.open(around)
	eventually(t, func() bool {
		return slices.ContainsFunc(b.framesShown(), func(address string) bool { return strings.HasPrefix(address, "chrome-error:") })
	}, "the browser shows nothing")
}

// awaitInFrame waits until an expression is true in the page's one frame, which
// is another site's: the page itself cannot look into it.
func (b *tab) awaitInFrame(expression string) {
	b.t.Helper()
	eventually(b.t, func() bool {
		tree, err := chromedp.Call(b.ctx, page.GetFrameTree, cdp.Empty{})
		require.NoError(b.t, err)
		if len(tree.FrameTree.ChildFrames) != 1 {
			return false
		}
		// Errors are frames that are going.
		world, err := chromedp.Call(b.ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.ChildFrames[0].Frame.ID})
		if err != nil {
			return false
		}
		answer, err := chromedp.Call(b.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ContextID: world.ExecutionContextID})
		return err == nil && answer.Result != nil && string(answer.Result.Value) == "true"
	}, "in the frame it never was true: %s", expression)
}
