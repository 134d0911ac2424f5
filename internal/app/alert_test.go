package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	official "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/delivery"
	smtpsender "github.com/malotehq/malote/internal/sender"
	"github.com/malotehq/malote/internal/sender/smtptest"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// mailing are test options with a mail server at an address.
func mailing(t *testing.T, dsn, address string) app.Options {
	t.Helper()
	server, err := smtpsender.ParseMailServer("smtp://"+address+"?starttls=never", "Malote <malote@alerts.example>", "")
	require.NoError(t, err)
	options := testOptions(dsn)
	options.MailServer = server
	return options
}

// goneReceiver answers everything with 410: what it gets is dead at once.
func goneReceiver(t *testing.T) *ledger {
	return newLedger(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
}

// kill makes a delivery of a tenant's enter the DLQ, and gives its event.
func (s *server) kill(tenant, eventType, url string) string {
	s.t.Helper()
	endpoint := s.endpoint(tenant, url, nil)
	answer := s.must(202, "POST", "/v1/events", map[string]any{"tenant": tenant, "type": eventType, "data": 1, "endpoint_ids": []any{endpoint["id"]}})
	require.EqualValues(s.t, 1, answer["deliveries"])
	return answer["id"].(string)
}

// ownEvents are the types of Malote's own events so far.
func (s *server) ownEvents() (types []string) {
	s.t.Helper()
	for _, row := range s.must(200, "GET", "/v1/events?limit=250&tenant=malote", nil)["data"].([]any) {
		types = append(types, row.(map[string]any)["type"].(string))
	}
	return types
}

func awaitMails(t *testing.T, server *smtptest.Server, n int) []smtptest.Mail {
	t.Helper()
	require.Eventually(t, func() bool { return len(server.Mails()) >= n }, 20*time.Second, 20*time.Millisecond)
	mails := server.Mails()
	require.Len(t, mails, n)
	return mails
}

// A whole conversation: what enters the DLQ is mailed to the tenant's addresses,
// with type and event id; five at most, to none where there are none, and once,
// however many processes there are.
func TestDracma_D08_EnteringTheDLQIsMailed(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	mail := smtptest.Start(t, smtptest.Options{})
	gone := goneReceiver(t)
	s := start(t, mailing(t, dsn, mail.Addr))
	start(t, mailing(t, dsn, mail.Addr))
	var addresses []string
	for i := range 5 {
		addresses = append(addresses, fmt.Sprintf("ops%d@acme.example", i+1))
	}
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "quiet"})
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme", "alert_emails": addresses})
	status, _ := s.call("PATCH", "/v1/tenants/acme", map[string]any{"alert_emails": append(addresses, "ops6@acme.example")})
	require.GreaterOrEqual(t, status, 400, "at most five")

	silent := s.kill("quiet", "order.lost", gone.URL)
	event := s.kill("acme", "invoice.paid", gone.URL)
	mails := awaitMails(t, mail, 5)
	var reached []string
	for _, m := range mails {
		reached = append(reached, m.To...)
		require.Equal(t, "Webhook in the DLQ", m.Subject)
		require.Contains(t, m.Text, "invoice.paid")
		require.Contains(t, m.Text, event)
		require.NotContains(t, m.Text, silent)
		require.Equal(t, "malote@alerts.example", m.From)
	}
	require.ElementsMatch(t, addresses, reached)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, 5, s.states("malote")["delivered"])
	}, 20*time.Second, 50*time.Millisecond)
	require.Len(t, mail.Mails(), 5)
}

// Support hears of a customer with more than ten failures within an hour, and of
// dead letters that nobody sees to.
func TestAxxos_A07_SupportIsAlerted(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	gone, support := goneReceiver(t), newLedger(t, noContent)
	first := start(t, testOptions(dsn))
	endpoint := first.endpoint("malote", support.URL, map[string]any{"event_types": []string{"malote.tenant.*", "malote.dead_letters.*"}})
	for range 11 {
		first.kill("acme", "a", gone.URL)
	}
	first.awaitStates("acme", map[string]int{"dead": 11})
	require.NoError(t, first.stop())
	database := pgtest.OpenDSN(t, dsn)
	for _, sql := range []string{
		`UPDATE malote.maintenance_tasks SET last_run_at = '-infinity' WHERE name = 'watch_dead_letters'`,
		`UPDATE malote.deliveries SET closed_at = closed_at - interval '25 hours' WHERE id = (SELECT max(id::text)::uuid FROM malote.deliveries WHERE tenant = 'acme')`,
	} {
		_, err := database.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	start(t, testOptions(dsn))
	require.Eventually(t, func() bool { return len(support.arrivals()) == 2 }, 20*time.Second, 20*time.Millisecond)
	verifier, err := official.NewWebhook(endpoint["secret"].(string))
	require.NoError(t, err)
	said := make(map[string]string)
	for _, got := range support.arrivals() {
		require.NoError(t, verifier.Verify(got.body, got.header), "an alert is a webhook like any other")
		var body struct {
			Type string
			Data struct{ Text string }
		}
		require.NoError(t, json.Unmarshal(got.body, &body))
		said[body.Type] = body.Data.Text
	}
	require.Contains(t, said["malote.tenant.many_failures"], "acme: 11 deliveries entered the DLQ within an hour")
	require.Contains(t, said["malote.dead_letters.unattended"], "acme: 1 deliveries have been in the DLQ for over 24 hours")
}

// The technical contact is told that an endpoint was disabled, by another way than
// its webhooks (S08).
func TestFairQueue_F14_TheTechnicalContactIsMailed(t *testing.T) {
	t.Parallel()
	mail := smtptest.Start(t, smtptest.Options{})
	s := start(t, mailing(t, pgtest.DSN(t), mail.Addr))
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme", "technical_contact": "dev@acme.example"})
	s.kill("acme", "a", goneReceiver(t).URL) // 410 disables
	got := awaitMails(t, mail, 1)[0]
	require.Equal(t, []string{"dev@acme.example"}, got.To)
	require.Equal(t, "Webhook endpoint was disabled", got.Subject)
	require.Contains(t, got.Text, "it answered that it is gone (HTTP 410)")
}

// The same notice goes to a webhook, a chat service and an address, each in its own
// words.
func TestAlerts_ReachEveryKindOfDestination(t *testing.T) {
	t.Parallel()
	mail := smtptest.Start(t, smtptest.Options{})
	slack, hook := newLedger(t, noContent), newLedger(t, noContent)
	s := start(t, mailing(t, pgtest.DSN(t), mail.Addr))
	s.endpoint("malote", hook.URL, nil)
	s.endpoint("malote", slack.URL, map[string]any{"policy": "slack", "event_types": []string{"malote.delivery.*"}})
	address := s.endpoint("malote", "mailto:oncall@example.com", map[string]any{"event_types": []string{"malote.delivery.dead"}})
	require.Equal(t, "email", address["policy"])

	tested := s.must(200, "POST", "/v1/webhook_endpoints/"+address["id"].(string)+"/test", nil)
	require.EqualValues(t, 250, tested["attempt"].(map[string]any)["response_status"])
	require.Equal(t, "malote.test", awaitMails(t, mail, 1)[0].Subject)

	event := s.kill("acme", "invoice.paid", goneReceiver(t).URL)
	got := awaitMails(t, mail, 2)[1]
	require.Equal(t, []string{"oncall@example.com"}, got.To)
	require.Equal(t, "A delivery of acme entered the DLQ", got.Subject)
	require.Contains(t, got.Text, event)
	require.Eventually(t, func() bool { return len(slack.arrivals()) == 1 && len(hook.arrivals()) >= 1 }, 20*time.Second, 20*time.Millisecond)
	var message map[string]string
	require.NoError(t, json.Unmarshal(slack.arrivals()[0].body, &message))
	require.Len(t, message, 1)
	require.Contains(t, message["text"], event)
	require.Empty(t, slack.arrivals()[0].header.Get("webhook-signature"))
	require.NotEmpty(t, hook.arrivals()[0].header.Get("webhook-signature"))
}

// A mail server that takes connections and says nothing holds nobody's deliveries.
func TestAlerts_AMailServerThatHangsBlocksNoDelivery(t *testing.T) {
	t.Parallel()
	hanging, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	connected := make(chan net.Conn, 100)
	go func() {
		for {
			conn, err := hanging.Accept()
			if err != nil {
				close(connected)
				return
			}
			connected <- conn
		}
	}()
	t.Cleanup(func() {
		hanging.Close()
		for conn := range connected {
			conn.Close()
		}
	})
	options := mailing(t, pgtest.DSN(t), hanging.Addr().String())
	options.MaxInFlight, options.DrainTimeout = 16, 100*time.Millisecond
	s := start(t, options)
	gone, well := goneReceiver(t), newLedger(t, noContent)
	for i := range 8 {
		tenant := fmt.Sprint("t", i)
		s.must(201, "POST", "/v1/tenants", map[string]any{"id": tenant, "alert_emails": []string{"a@x.example", "b@x.example", "c@x.example"}})
		s.kill(tenant, "a", gone.URL)
	}
	require.Eventually(t, func() bool { return len(connected) == 1 }, 20*time.Second, 20*time.Millisecond, "as many as a lane takes that never got an answer")
	for i := range 30 {
		s.endpoint("acme", fmt.Sprint(well.URL, "/", i), nil) // new ones, which nothing is known of
	}
	s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	s.awaitStates("acme", map[string]int{"delivered": 30})
	require.Len(t, connected, 1, "the first mail's deadline is still to come: others would have followed")
}

// What happens to an alert's own delivery is no alert.
func TestAlerts_NoneIsAboutAnAlert(t *testing.T) {
	t.Parallel()
	gone := goneReceiver(t)
	s := start(t, testOptions(pgtest.DSN(t)))
	s.endpoint("malote", gone.URL, nil)
	s.kill("acme", "a", gone.URL)
	require.Eventually(t, func() bool {
		response, err := http.Get(s.url + "/metrics")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		page, _ := io.ReadAll(response.Body)
		return regexp.MustCompile(`malote_own_signals_total{kind="delivery_dead"} [1-9]`).Match(page) &&
			regexp.MustCompile(`malote_own_signals_total{kind="endpoint_disabled"} 1`).Match(page)
	}, 20*time.Second, 50*time.Millisecond)
	types := s.ownEvents()
	slices.Sort(types)
	require.Equal(t, []string{"malote.delivery.dead", "malote.endpoint.disabled"}, types, "of acme's, and no more")
}

func TestOwnTenant_IsReserved(t *testing.T) {
	t.Parallel()
	s := start(t, testOptions(pgtest.DSN(t)))
	s.must(200, "GET", "/v1/tenants/malote", nil)
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		code         string
	}{
		{"POST", "/v1/tenants", map[string]any{"id": "malote"}, 409, "tenant_reserved"},
		{"DELETE", "/v1/tenants/malote", nil, 409, "tenant_reserved"},
		{"POST", "/v1/sources", map[string]any{"tenant": "malote", "name": "x", "provider": "github", "secrets": []any{map[string]any{"value": "0123456789abcdef0123456789"}}}, 409, "tenant_reserved"},
		{"POST", "/v1/events", `{"tenant":"malote","type":"malote.delivery.dead","data":1}`, 400, "invalid_request"},
		{"POST", "/v1/webhook_endpoints", map[string]any{"tenant": "malote", "url": "mailto:ops@example.com"}, 400, "url_not_allowed"},
	} {
		status, answer := s.call(c.method, c.path, c.body)
		require.Equal(t, c.code, answer["code"], "%s %s: %d %v", c.method, c.path, status, answer)
	}
}

// An outbox whose relay does not run is noticed by the workers.
func TestAlerts_AnOutboxThatNobodyCarries(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	database := pgtest.OpenDSN(t, dsn)
	for _, sql := range []string{
		`SELECT malote.publish_json('acme', 'a', '1')`,
		`UPDATE malote.outbox SET written_at = now() - interval '1 hour'`,
	} {
		_, err := database.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	_, err := database.Pool().Exec(t.Context(), `INSERT INTO malote.conditions (shard, name, since) VALUES ($1, 'relay:malote', now() - interval '1 minute')`,
		delivery.ShardOf(delivery.OwnTenant))
	require.NoError(t, err)
	options := testOptions(dsn)
	options.Roles = []app.Role{app.RoleAPI, app.RoleWorker}
	s := start(t, options)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"malote.relay.lagging"}, s.ownEvents())
	}, 20*time.Second, 50*time.Millisecond)

	options.Roles = []app.Role{app.RoleRelay}
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	start(t, options)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Contains(c, s.ownEvents(), "malote.relay.recovered")
	}, 40*time.Second, 100*time.Millisecond)
}
