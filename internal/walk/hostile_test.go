package walk

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// attacks are texts that would like to be more. Each would set a flag, open a
// dialog, or leave an element behind; %s says where it was stored.
var attacks = []string{
	`%s<script>window.pwned=1;alert(1)</script><img src=x data-pwned onerror="window.pwned=1">`,
	`%s"><svg data-pwned onload="window.pwned=1"></svg><a data-pwned href="javascript:window.pwned=1">x</a>`,
	`%s' onmouseover='window.pwned=1' autofocus onfocus='window.pwned=1' data-pwned='`,
	`%s</textarea></title></style></script></template></pre></option></select><iframe data-pwned srcdoc="<script>parent.pwned=1</script>"></iframe>`,
	"%s{{constructor.constructor('window.pwned=1')()}}${window.pwned=1}<%%= pwned %%>{ pwned }",
	"%s\u202e\u2066esrever\u2069\u200f\u0000\u0007\u001b[31m\ufeff\ufffe",
}

// stored are the places where a text of an attack was taken.
type stored map[string]bool

// try stores something that may be refused, but by a mistake of ours.
func (s stored) try(h *house, place, method, path string, body any) (id string) {
	h.t.Helper()
	status, answer := h.call(method, path, body)
	require.Less(h.t, status, 500, "%s: %v", place, answer)
	if status < 300 {
		s[place] = true
	}
	id, _ = answer["id"].(string)
	return id
}

// besiege stores every attack wherever somebody may write, and gives the
// addresses of what came of it.
func (h *house) besiege() (places stored, addresses []string) {
	h.t.Helper()
	places = make(stored)
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadRequest)
		text := attacks[len(r.URL.Path)%len(attacks)]
		_, _ = fmt.Fprintf(w, text, "answer-of-a-receiver")
	}))
	h.t.Cleanup(answers.Close)
	h.tenant("acme", "Acme")
	for i, attack := range attacks {
		say := func(place string) string { return fmt.Sprintf(attack, place) }
		n := fmt.Sprint(i)
		places.try(h, "tenant-name", "POST", "/v1/tenants", map[string]any{"id": "hostile-" + n, "name": say("tenant-name")})
		places.try(h, "tenant-id", "POST", "/v1/tenants", map[string]any{"id": say("tenant-id"), "name": "x"})
		places.try(h, "contact", "PATCH", "/v1/tenants/acme", map[string]any{"technical_contact": say("contact")})
		endpoint := places.try(h, "description", "POST", "/v1/webhook_endpoints", map[string]any{
			"tenant": "acme", "url": answers.URL + "/" + strings.Repeat("a", i), "policy": "gateway", "description": say("description"), "event_types": []string{"t" + n + ".*"},
		})
		if endpoint == "" { // a control character in it; the rest is worth a try without
			endpoint = h.endpoint("acme", answers.URL+"/"+strings.Repeat("a", i), map[string]any{"policy": "gateway", "event_types": []string{"t" + n + ".*"}})
		}
		root := "/v1/webhook_endpoints/" + endpoint
		for field, value := range map[string]any{
			"metadata": map[string]string{"note": say("metadata")}, "headers": map[string]string{"X-Note": say("headers")}, "filter": say("filter"),
			"event_types": []string{say("event_types")}, "url": answers.URL + "/?q=" + say("url"), "policy": say("policy"), "secret_headers": map[string]string{"X-Key": say("secret_headers")},
		} {
			places.try(h, field, "PATCH", root, map[string]any{field: value})
		}
		h.must(200, "PATCH", root, map[string]any{"event_types": []string{"t" + n + ".*"}, "filter": ""})
		addresses = append(addresses, "/endpoints/"+endpoint)
		for field, value := range map[string]any{"type": say("type"), "external_id": say("external_id"), "idempotency_key": say("idempotency_key"), "coalesce_key": say("coalesce_key"), "entity_version": say("entity_version"), "content_type": say("content_type")} {
			event := map[string]any{"tenant": "acme", "type": "t" + n + ".happened", "data": map[string]any{say("key"): say("body")}}
			if field == "content_type" {
				delete(event, "data")
				event["body_base64"] = base64.StdEncoding.EncodeToString([]byte(say("body")))
			}
			event[field] = value
			if id := places.try(h, field, "POST", "/v1/events", event); id != "" {
				addresses = append(addresses, "/events/"+id)
			}
		}
		places.try(h, "key-name", "POST", "/v1/keys", map[string]any{"tenant": "acme", "scope": "read", "name": say("key-name")})
		places.try(h, "policy-yaml", "POST", "/v1/policies", map[string]any{"yaml": say("policy-yaml")})
		if source := places.try(h, "source-name", "POST", "/v1/sources", map[string]any{"tenant": "acme", "name": say("source-name"), "provider": "generic", "description": say("source-description")}); source != "" {
			addresses = append(addresses, "/sources/"+source)
		}
		if source := places.try(h, "source-description", "POST", "/v1/sources", map[string]any{"tenant": "acme", "name": "s" + n, "provider": "github", "description": say("source-description")}); source != "" {
			addresses = append(addresses, "/sources/"+source)
			h.knock(source, say("request"))
		}
	}
	long := h.publish("acme", "t0.long", map[string]any{"data": strings.Repeat("W", 64<<10)})
	html := h.publish("acme", "t0.html", map[string]any{"body_base64": base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf(attacks[0], "body"))), "content_type": "text/html"})
	addresses = append(addresses, "/events/"+long, "/events/"+html, "/events?tenant=acme", "/search?q=hostile-0")
	return places, append(addresses, h.besiegeDeliveries(places)...)
}

// besiegeDeliveries waits for what was published, and resolves some with reasons.
func (h *house) besiegeDeliveries(places stored) (addresses []string) {
	h.t.Helper()
	eventually(h.t, func() bool { return len(h.list("/v1/webhook_deliveries", "tenant", "acme", "state", "pending")) == 0 }, "all are dead")
	dead := h.list("/v1/webhook_deliveries", "tenant", "acme", "state", "dead")
	require.Greater(h.t, len(dead), len(attacks))
	for i, row := range dead {
		if i < len(attacks) {
			places.try(h, "reason", "POST", "/v1/webhook_deliveries/"+idOf(row)+"/resolve", map[string]any{"reason": fmt.Sprintf(attacks[i], "reason")})
		}
		if i < 2*len(attacks) {
			addresses = append(addresses, "/deliveries/"+idOf(row))
		}
	}
	return addresses
}

// knock sends a webhook that is turned away, with a text wherever one fits.
func (h *house) knock(source, text string) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url+"/in/"+source, strings.NewReader(text))
	require.NoError(h.t, err)
	line := strings.Map(func(r rune) rune { // what a header can carry
		if r < ' ' {
			return -1
		}
		return r
	}, text)
	for _, name := range []string{"User-Agent", "X-Hub-Signature-256", "X-GitHub-Event", "Content-Type", "X-Forwarded-For"} {
		request.Header.Set(name, line)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(h.t, err)
	require.NoError(h.t, response.Body.Close())
	require.Less(h.t, response.StatusCode, 500)
}

// harmless holds what is shown against what the attacks wanted.
func (b *tab) harmless(address string) {
	b.t.Helper()
	require.Equal(b.t, "undefined", eval[string](b, "typeof window.pwned"), address)
	require.Zero(b.t, b.count("[data-pwned], iframe, body [onerror], body [onload], body [onfocus], body [onmouseover]"), address)
	require.Empty(b.t, eval[[]string](b, `[...document.querySelectorAll("[href], [src], [action], [formaction]")]
		.flatMap(e => [e.href, e.src, e.action, e.formAction]).filter(a => typeof a === "string" && a !== "" && !a.startsWith(location.origin) && !a.startsWith("data:image"))`), address)
	require.Empty(b.t, b.found(), address)
}

func TestHostileTexts_StayTexts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	places, addresses := h.besiege()
	session := h.takeOver()
	b := h.tab(session)
	b.size(390, 844)
	seen := make(map[string]bool)
	pages, _ := h.crawl(session, addresses...)
	for _, address := range pages {
		require.Equal(t, 200, b.open(address))
		// Handlers that an attack brought would wait for these.
		eval[bool](b, `document.querySelectorAll("main *").forEach(e => { e.dispatchEvent(new MouseEvent("mouseover", {bubbles: true})); if (e.tagName === "DETAILS") e.open = true }) || true`)
		b.harmless(address)
		b.requireNoSideways()
		words := b.text("body")
		for place := range places {
			seen[place] = seen[place] || strings.Contains(words, place)
		}
		seen["answer-of-a-receiver"] = seen["answer-of-a-receiver"] || strings.Contains(words, "answer-of-a-receiver")
		seen["body"] = seen["body"] || strings.Contains(words, "body<script>window.pwned=1")
	}
	for _, place := range []string{"body", "reason", "answer-of-a-receiver", "external_id", "idempotency_key", "coalesce_key"} {
		require.True(t, seen[place], "%s is on no page, so that this test shows nothing about it; on pages are: %q", place, slices.Sorted(maps.Keys(seen)))
	}
	t.Logf("taken: %q", slices.Sorted(maps.Keys(places)))
}

// What others sent is a file to keep, and nothing that the browser shows.
func TestDownloads_AreAttachments(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	session := h.takeOver()
	b := h.tab(session)
	for _, kind := range []string{"text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/pdf"} {
		event := h.publish("acme", "a.b", map[string]any{"content_type": kind, "body_base64": base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`))})
		delivery := idOf(h.list("/v1/webhook_deliveries", "tenant", "acme", "event", event)[0])
		for _, address := range []string{"/events/" + event + "/body", "/deliveries/" + delivery + "/body"} {
			got := h.get(session, address)
			require.Equal(t, 200, got.status, address)
			require.Regexp(t, `^attachment; filename="?[a-z0-9_]+\.body"?$`, got.header.Get("Content-Disposition"))
			require.Equal(t, "default-src 'none'; sandbox", got.header.Get("Content-Security-Policy"))
			require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
			b.downloads(address)
		}
	}
	for _, format := range []string{"csv", "ndjson"} {
		got := h.get(session, "/events/export?tenant=acme&format="+format)
		require.Equal(t, "attachment; filename=events-acme."+format, got.header.Get("Content-Disposition"))
	}
}

// downloads holds that an address is a download to the browser, too.
func (b *tab) downloads(address string) {
	b.t.Helper()
	_, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
	})
	require.NoError(b.t, err)
	err = chromedp.Do(b.ctx, chromedp.Navigate(b.base+address))
	require.ErrorContains(b.t, err, "ERR_ABORTED", address)
}

// Names that are asked for become names of files, and notices: never headers.
func TestHeaders_AreNotWrittenByOthers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	session := h.takeOver()
	for _, line := range []string{"%0d%0aX-Pwned:%201", "%0aX-Pwned:%201", "%0d%0a%0d%0a<script>alert(1)</script>", "%22;%20filename=%22evil.html", "%E2%80%A8X-Pwned:1"} {
		for _, address := range []string{
			"/events/export?format=csv&tenant=" + line, "/events/" + line + "/body", "/deliveries/" + line + "/body", "/deliveries?id=" + line,
			"/search?q=" + line, "/login?next=/" + line, "/deliveries?state=" + line, "/lag?tenant=" + line, "/events?tenant=" + line,
		} {
			got := h.get(session, address)
			require.Less(t, got.status, 500, address)
			require.NotContains(t, got.header, "X-Pwned", address)
			require.NotContains(t, got.header.Get("Content-Disposition"), "evil.html", address)
			require.NotContains(t, got.body, "<script>alert", address)
			require.Contains(t, got.header.Get("Content-Security-Policy"), "default-src 'none'", address)
		}
	}
}

// What is typed comes back in the fields that it was typed into.
func TestFields_GiveBackWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.tab(h.takeOver())
	b.allow("status of 4")
	for _, attack := range append(attacks, "%s"+strings.Repeat("x", 5000)) {
		text := strings.ReplaceAll(fmt.Sprintf(attack, "q"), "\u0000", "")
		b.open("/search?" + queryOf("q", text))
		b.harmless(text)
		b.open("/deliveries?" + queryOf("type", text, "tenant", text, "since", text, "error_code", text))
		b.harmless(text)
	}
}
