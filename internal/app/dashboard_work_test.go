package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// clerk is a visitor who works off what is to be done.
type clerk struct{ *visitor }

func (c *clerk) visit(path string) {
	c.t.Helper()
	require.Equal(c.t, http.StatusOK, c.get(path), c.page)
}

var tokenField = regexp.MustCompile(`name="_token" value="([^"]*)"`)

// submit sends a form of the page that is shown.
func (c *clerk) submit(want int, path string, form url.Values) {
	c.t.Helper()
	form.Set("_token", tokenField.FindStringSubmatch(c.page)[1])
	require.Equal(c.t, want, c.post(path, form), c.page)
}

var tag = regexp.MustCompile(`<[^>]*>`)

// text is what can be read on the page.
func (c *clerk) text() string {
	return strings.Join(strings.Fields(tag.ReplaceAllString(c.page, "")), " ")
}

func (c *clerk) found(pattern string) []string {
	var list []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(c.page, -1) {
		list = append(list, match[1])
	}
	return list
}

func (c *clerk) boxes() []string {
	return c.found(`<input type="checkbox" class="tick" name="ids" value="(whd_\w+)"`)
}

// hidden are the ids that the open dialog would send.
func (c *clerk) hidden() []string {
	return c.found(`<input type="hidden" name="ids" value="(whd_\w+)"`)
}

// dieMany makes 120 dead deliveries of one endpoint, which takes what comes later.
func dieMany(t *testing.T, s *server) (taken *atomic.Int64) {
	t.Helper()
	taken = &atomic.Int64{}
	var mended atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !mended.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		taken.Add(1)
	}))
	t.Cleanup(receiver.Close)
	s.must(201, "POST", "/v1/policies", map[string]any{"yaml": "name: once\ndeadline: 5s\nschedule: {kind: table, waits: [1m], then: end}\ngive_up: {attempts: 1}\n"})
	s.endpoint("acme", receiver.URL, map[string]any{"policy": "once", "max_in_flight": 20})
	var events []map[string]any
	for i := range 120 {
		events = append(events, map[string]any{"tenant": "acme", "type": "order.created", "data": i})
	}
	s.must(202, "POST", "/v1/events/batch", map[string]any{"events": events})
	require.Eventually(t, func() bool { return s.must(200, "GET", "/v1/stats/dead", nil)["total"] == 120. }, 30*time.Second, 50*time.Millisecond)
	mended.Store(true)
	return taken
}

// TestDashboard_D10_D11_ADeadLetterQueueOf120IsWorkedOff: in pages of 50; what was
// done is gone, and the next ones stand at the same place.
func TestDashboard_D10_D11_ADeadLetterQueueOf120IsWorkedOff(t *testing.T) {
	t.Parallel()
	s := start(t, testOptions(pgtest.DSN(t)))
	taken := dieMany(t, s)
	c := &clerk{firstVisitor(t, s)}

	c.visit("/dlq?tenant=acme")
	require.Contains(t, c.page, "Attempts used up · Refused by its answer")
	first := c.boxes()
	require.Len(t, first, 50)
	c.visit("/dlq?tenant=acme&select=all")
	require.Equal(t, 50, strings.Count(c.page, " checked"))
	second := c.found(`rel="next" href="([^"]+)"`)[0]

	// On the second page: a preview that sends nothing, then redelivery.
	c.visit(second)
	middle := c.boxes()
	require.Len(t, middle, 50)
	require.NotContains(t, middle, first[0])
	c.submit(422, second, url.Values{"do": {"preview"}})
	require.Contains(t, c.page, "Select at least one delivery first.")
	c.submit(200, second, url.Values{"do": {"preview"}, "ids": middle})
	require.Contains(t, c.page, "50 deliveries")
	require.Equal(t, middle, c.hidden())
	require.Equal(t, 50, strings.Count(c.page, " checked"), "and what was selected stays so")
	require.Zero(t, taken.Load())
	c.submit(200, second, url.Values{"do": {"redeliver"}, "ids": middle})
	require.Contains(t, c.text(), "50 deliveries are back in the queue. 70 are left.")
	last := c.boxes()
	require.Len(t, last, 20, "the next ones, at the same place")
	require.NotContains(t, last, middle[0])

	// Of what somebody else was quicker with, nothing is sent.
	c.submit(200, second, url.Values{"do": {"redeliver"}, "ids": {last[0], middle[0]}})
	require.Contains(t, c.page, "Nothing was sent: some of them changed meanwhile.")
	require.Equal(t, []string{last[0]}, c.hidden())

	// Resolved with a reason; then nothing is left here, and the list begins anew.
	c.submit(200, second, url.Values{"do": {"ask"}, "ids": last})
	require.Equal(t, last, c.hidden())
	c.submit(200, second, url.Values{"do": {"resolve"}, "ids": last, "reason": {"too short"}})
	require.Contains(t, c.page, `class="fault"`)
	require.Contains(t, c.page, ">too short<")
	require.Equal(t, last, c.hidden())
	c.submit(200, second, url.Values{"do": {"resolve"}, "ids": last, "reason": {"Settled by phone with them."}})
	require.Contains(t, c.text(), "20 deliveries are resolved. 50 are left.")
	require.Equal(t, first, c.boxes())
	c.visit(second)
	require.Equal(t, "/dlq?tenant=acme", c.path, "a place where nothing is left leads to the first page")

	require.Eventually(t, func() bool { return taken.Load() == 50 }, 30*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool { return fmt.Sprint(s.states("acme")) == "map[dead:50 delivered:50 resolved:20]" }, 30*time.Second, 20*time.Millisecond)
	one := s.must(200, "GET", "/v1/webhook_deliveries/"+last[0], nil)
	require.Equal(t, "Settled by phone with them.", one["resolution"])
}

// TestDashboard_ASourceIsMadeChangedAndPolicyPublished goes through their forms.
func TestDashboard_ASourceIsMadeChangedAndPolicyPublished(t *testing.T) {
	t.Parallel()
	s := start(t, testOptions(pgtest.DSN(t)))
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	c := &clerk{firstVisitor(t, s)}

	c.visit("/sources/new")
	require.Contains(t, c.page, "/sources/new?provider=stripe")
	const form = "/sources/new?provider=generic"
	c.visit(form)
	asked := url.Values{"tenant": {"acme"}, "name": {"ERP"}, "secret": {"topsecret-topsecret"}, "options.rate_limit.per_second": {"many"}}
	c.submit(422, form, asked)
	require.Contains(t, c.page, "“many” is not a number.")
	require.NotContains(t, c.page, "topsecret", "a secret is never shown again")
	asked.Set("options.rate_limit.per_second", "12.5")
	asked.Set("options.generic.header", "X-Signature")
	asked.Set("options.generic.algorithm", "sha512")
	asked.Set("options.tolerance", "soon")
	c.submit(422, form, asked)
	require.Contains(t, c.page, `id="e-options.tolerance"`, "the API's fault stands beside its field")
	asked.Del("options.tolerance")
	c.submit(200, form, asked)
	source := "/v1" + c.path
	made := s.must(200, "GET", source, nil)
	require.Equal(t, map[string]any{
		"generic": map[string]any{"header": "X-Signature", "algorithm": "sha512"}, "rate_limit": map[string]any{"per_second": 12.5},
	}, made["options"])
	require.Contains(t, c.page, made["receive_path"].(string))

	one := c.path
	c.submit(200, one+"/edit", url.Values{"name": {"ERP 2"}, "dedupe": {"body_hash"}, "options.generic.header": {"X-Sign"}})
	made = s.must(200, "GET", source, nil)
	require.Equal(t, []any{"ERP 2", "body_hash", map[string]any{"generic": map[string]any{"header": "X-Sign"}}},
		[]any{made["name"], made["dedupe"], made["options"]}, "what is emptied goes back to its default")
	c.submit(422, one+"/secrets", url.Values{"secret": {"topsecret-topsecret"}, "role": {"repair"}, "overlap": {"keep"}})
	require.Regexp(t, `<dialog class="dialog" id="secret"[^>]* open>`, c.page)
	require.Contains(t, c.page, "<code>role</code> is for providers whose API lists what they sent")
	c.submit(200, one+"/secrets", url.Values{"secret": {"another-secret-yet"}, "role": {"any"}, "name": {"second"}, "overlap": {"24h"}})
	require.Contains(t, c.page, "the older ones expire")
	require.Len(t, s.must(200, "GET", source+"/secrets", nil)["data"], 2)

	require.Equal(t, 401, statusOf(t, s.url+made["receive_path"].(string)))
	require.Eventually(t, func() bool {
		c.visit(one)
		return strings.Contains(c.page, "see that nothing in between removes it") || strings.Contains(c.page, "See that nothing in between removes it")
	}, 30*time.Second, 100*time.Millisecond, "what was turned away is there, with what to do")

	c.visit("/policies/new?from=dracma")
	yaml := "name: mine\ndeadline: 10s\nschedule:\n  kind: table\n  waits: [1m, never]\n  then: end\n"
	c.submit(422, "/policies/new", url.Values{"yaml": {strings.ReplaceAll(yaml, "\n", "\r\n")}, "do": {"publish"}})
	require.Contains(t, c.page, "Line 5, column")
	require.Regexp(t, `class="wrong"><span class="line-number" aria-hidden="true">5</span>`, c.page)
	yaml = strings.Replace(yaml, "never", "1h", 1)
	c.submit(200, "/policies/new", url.Values{"yaml": {yaml}, "do": {"check"}})
	require.Contains(t, c.page, "Nothing was published yet.")
	s.must(404, "GET", "/v1/policies/mine", nil)
	c.submit(200, "/policies/new", url.Values{"yaml": {strings.ReplaceAll(yaml, "\n", "\r\n")}, "do": {"publish"}})
	require.Equal(t, yaml, s.must(200, "GET", "/v1/policies/mine", nil)["yaml"])
	require.Equal(t, "/policies/mine", c.path)
	c.visit("/policies/mine/contract?lang=pt")
	require.Contains(t, c.page, "Contrato de webhooks")
}

func statusOf(t *testing.T, address string) int {
	t.Helper()
	response, err := http.Post(address, "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	defer response.Body.Close()
	return response.StatusCode
}
