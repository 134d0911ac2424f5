package walk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// furnish moves customers in whose things are in every state that pages show,
// and gives the addresses of some that are worth a look.
func (h *house) furnish() (addresses []string) {
	h.t.Helper()
	for id, name := range map[string]string{"loja-aurora": "Loja Aurora", "padaria-trigo-bom": "Padaria Trigo Bom", "banco-mirim": "Banco Mirim", "novo-cliente": "Novo Cliente"} {
		h.tenant(id, name)
	}
	receivers := map[string]receiver.Manner{
		"pedidos": receiver.Polite(), "estoque": receiver.Status(http.StatusBadRequest), "erp": receiver.Status(http.StatusServiceUnavailable),
		"fraude": receiver.Resetting(), "gone": receiver.Status(http.StatusGone), "moved": receiver.Redirect(http.StatusFound, "https://www.example.com/"),
	}
	at := make(map[string]string)
	for name, manner := range receivers {
		at[name] = playReceiver(h.t, manner) + "/webhooks/" + name
	}
	orders := h.endpoint("loja-aurora", at["pedidos"], map[string]any{
		"description": "Orders, to the shop's back office", "event_types": []string{"order.created", "order.paid", "order.shipped"},
		"headers": map[string]string{"X-Shop": "aurora"}, "metadata": map[string]string{"team": "backoffice"}, "rate_limit": 50,
	})
	h.must(http.StatusCreated, http.MethodPost, "/v1/webhook_endpoints/"+orders+"/secrets/rotate", map[string]any{"overlap": "24h"})
	stock := h.endpoint("loja-aurora", at["estoque"], map[string]any{"policy": "gateway", "event_types": []string{"stock.low"}})
	h.endpoint("loja-aurora", at["erp"], map[string]any{"policy": "dracma", "event_types": []string{"order.paid"}})
	paused := h.endpoint("loja-aurora", at["pedidos"]+"/catalogo", map[string]any{"policy": "fair-queue", "event_types": []string{"product.changed"}})
	h.must(http.StatusOK, http.MethodPost, "/v1/webhook_endpoints/"+paused+"/pause", nil)
	off := h.endpoint("padaria-trigo-bom", at["pedidos"]+"/antigo", map[string]any{"policy": "routa"})
	h.must(http.StatusOK, http.MethodPost, "/v1/webhook_endpoints/"+off+"/disable", nil)
	h.endpoint("banco-mirim", at["fraude"], map[string]any{"event_types": []string{"pix.received"}})
	h.endpoint("banco-mirim", at["moved"], map[string]any{"policy": "axxos", "event_types": []string{"statement.ready"}})
	gone := h.endpoint("banco-mirim", at["gone"], map[string]any{"event_types": []string{"card.blocked"}})

	for i := range 15 {
		h.publish("loja-aurora", []string{"order.created", "order.paid", "order.shipped"}[i%3], map[string]any{
			"data": map[string]any{"order": fmt.Sprintf("AU-%04d", 1200+i/3), "total": fmt.Sprintf("%d.90", 59+7*i), "currency": "BRL",
				"items": []any{map[string]any{"sku": "CAFE-250", "quantity": 1 + i%4}}},
			"external_id": fmt.Sprintf("order-%d", 1200+i/3),
		})
	}
	for i := range 6 {
		h.publish("loja-aurora", "stock.low", map[string]any{"data": map[string]any{"sku": fmt.Sprintf("CAFE-%d", 250*(i+1)), "left": i}})
		h.publish("banco-mirim", "pix.received", map[string]any{"data": map[string]any{"end_to_end_id": fmt.Sprintf("E0000000020261130%04d", i), "amount": "150.00"}})
	}
	for i := range 3 { // the later ones take the earlier ones' place
		h.publish("loja-aurora", "product.changed", map[string]any{"data": map[string]any{"sku": "CAFE-250", "price": 20 + i}, "coalesce_key": "product:CAFE-250"})
	}
	h.publish("banco-mirim", "card.blocked", nil)
	h.publish("banco-mirim", "statement.ready", map[string]any{"body_base64": "AP8BAv8=", "content_type": "application/octet-stream"})
	skipped := h.publish("novo-cliente", "order.created", nil)
	h.publish("padaria-trigo-bom", "order.created", map[string]any{"body_base64": "UMOjbyBkZSBxdWVpam8=", "content_type": "text/plain; charset=utf-8"})

	dead := h.await("loja-aurora", "dead", 6)
	delivered := h.await("loja-aurora", "delivered", 15)
	h.await("banco-mirim", "dead", 2)
	h.must(http.StatusNoContent, http.MethodPost, "/v1/webhook_deliveries/"+idOf(dead[0])+"/resolve", map[string]any{"reason": "Counted by hand on Monday: the stock is right."})
	h.must(http.StatusAccepted, http.MethodPost, "/v1/webhook_endpoints/"+stock+"/recover",
		map[string]any{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "states": []string{"discarded"}})
	h.make("/v1/keys", map[string]any{"tenant": "loja-aurora", "scope": "publish", "name": "the shop's backend"})
	h.furnishSources()
	states := make(map[string]bool)
	for _, row := range h.list("/v1/webhook_deliveries") {
		states[row["state"].(string)] = true
	}
	for _, state := range []string{"pending", "delivered", "dead", "skipped", "superseded", "resolved"} {
		require.True(h.t, states[state], "nothing is %s", state)
	}
	waiting := h.list("/v1/webhook_deliveries", "tenant", "loja-aurora", "state", "pending")
	superseded := h.list("/v1/webhook_deliveries", "tenant", "loja-aurora", "state", "superseded")
	return []string{
		"/deliveries/" + idOf(dead[1]), "/deliveries/" + idOf(delivered[0]), "/deliveries/" + idOf(waiting[0]), "/deliveries/" + idOf(superseded[0]),
		"/events/" + skipped, "/events?tenant=loja-aurora", "/endpoints/" + orders, "/endpoints/" + paused, "/endpoints/" + gone,
		"/search?q=nothing", "/search?q=order-1201&tenant=loja-aurora", "/lag", "/now", "/account",
	}
}

func idOf(row map[string]any) string { return row["id"].(string) }

// furnishSources makes sources of webhooks that come in, of which some are
// turned away.
func (h *house) furnishSources() {
	h.t.Helper()
	github := h.make("/v1/sources", map[string]any{"tenant": "loja-aurora", "name": "github", "provider": "github", "description": "The shop's code",
		"secrets": []any{map[string]any{"value": "a-secret-for-tests"}}})
	h.make("/v1/sources", map[string]any{"tenant": "banco-mirim", "name": "stripe", "provider": "stripe"})
	body := `{"action":"opened","number":7,"repository":{"full_name":"aurora/shop"}}`
	mac := hmac.New(sha256.New, []byte("a-secret-for-tests"))
	mac.Write([]byte(body))
	require.Equal(h.t, http.StatusOK, h.receive(github, body, "sha256="+hex.EncodeToString(mac.Sum(nil))))
	require.GreaterOrEqual(h.t, h.receive(github, body, "sha256="+strings.Repeat("ab", 32)), 400)
}

func (h *house) receive(source, body, signature string) int {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url+"/in/"+source, strings.NewReader(body))
	require.NoError(h.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", "pull_request")
	request.Header.Set("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958")
	request.Header.Set("X-Hub-Signature-256", signature)
	response, err := http.DefaultClient.Do(request)
	require.NoError(h.t, err)
	require.NoError(h.t, response.Body.Close())
	return response.StatusCode
}
