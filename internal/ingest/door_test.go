package ingest

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

func TestDoor_SaysNothingOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var answers []string
	for _, path := range []string{
		pathOf(newID()), "/in/src_", "/in/evt_01h455vb4pex5vsknk084sn02q", "/in/x", "/in/" + strings.Repeat("a", 5000),
		"/in/" + newID().Format(delivery.EventPrefix),
	} {
		recorder := r.do(httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}")))
		require.Equal(t, http.StatusNotFound, recorder.Code, path)
		answers = append(answers, recorder.Body.String())
	}
	for _, answer := range answers {
		require.Equal(t, answers[0], answer)
	}
	require.Equal(t, 6, r.observer.of(UnknownSource))
	require.Equal(t, 1, r.asked, "what is no id is not looked up")
	require.Empty(t, r.door.rejections.waiting)
}

func TestDoor_AnswersWhatItTurnsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxBody = 100 })
	stripe := r.put(Source{Provider: "stripe", Secrets: []source.Secret{{Name: "a", Value: "whsec_x"}}})
	bare := r.put(Source{Provider: "github"})
	discord := r.put(Source{Provider: "discord", Secrets: []source.Secret{{Value: strings.Repeat("ab", 32)}}})
	paused := r.put(Source{Provider: "github", Paused: true})
	unread := r.put(Source{Provider: "github", Settings: []byte(`{"nonsense":1}`)})
	strange := r.put(Source{Provider: "no_such_provider"})
	postmark := r.put(Source{Provider: "postmark", Secrets: []source.Secret{{Value: "user:pass"}}})
	slack := r.put(Source{Provider: "slack", Secrets: []source.Secret{{Value: "s"}}})
	generic := r.put(Source{Provider: "generic", Settings: []byte(`{"generic":{"auth":"address","addresses":["203.0.113.7"]}}`)})
	for name, c := range map[string]struct {
		id      delivery.ID
		method  string
		header  string // name: value
		body    string
		status  int
		code    string
		reason  source.Reason
		headers map[string]string
	}{
		"no signature":     {stripe, "", "", "{}", 401, "missing_header", source.HeaderMissing, map[string]string{"Www-Authenticate": "Signature"}},
		"bad signature":    {stripe, "", "Stripe-Signature: t=1,v1=aa", "{}", 401, "bad_signature", source.WrongSecret, nil},
		"misspelt":         {stripe, "", "Stripe-Signature: v1=aa", "{}", 401, "malformed", source.SignatureMalformed, nil},
		"discord probes":   {discord, "", "X-Signature-Ed25519: zz", "{}", 401, "", "", nil},
		"basic":            {postmark, "", "", "{}", 401, "missing_header", "", map[string]string{"Www-Authenticate": `Basic realm="malote"`}},
		"no secret yet":    {bare, "", "X-Hub-Signature-256: sha256=" + strings.Repeat("a", 64), "{}", 503, "not_set_up", source.NoSecret, map[string]string{"Retry-After": "60"}},
		"method":           {stripe, "GET", "", "", 405, "method_not_allowed", MethodNotAllowed, map[string]string{"Allow": "POST"}},
		"paused":           {paused, "", "", "{}", 503, "source_paused", SourcePaused, map[string]string{"Retry-After": "60"}},
		"unread settings":  {unread, "", "", "{}", 503, "settings_unreadable", SettingsUnreadable, nil},
		"unknown provider": {strange, "", "", "{}", 503, "settings_unreadable", SettingsUnreadable, nil},
		"too large":        {stripe, "", "", strings.Repeat("x", 101), 413, "body_too_large", BodyTooLarge, map[string]string{"Connection": "close"}},
		"address":          {generic, "", "", "{}", 403, "bad_signature", source.AddressNotAllowed, nil},
		"coding":           {slack, "", "Content-Encoding: br", "{}", 415, "content_encoding_unsupported", CodingUnsupported, nil},
		"broken coding":    {slack, "", "Content-Encoding: gzip", "{}", 400, "content_encoding_broken", CodingBroken, nil},
	} {
		method := c.method
		if method == "" {
			method = http.MethodPost
		}
		request := httptest.NewRequest(method, pathOf(c.id), strings.NewReader(c.body))
		if field, value, found := strings.Cut(c.header, ": "); found {
			request.Header.Set(field, value)
		}
		before := r.observer.of(c.reason)
		recorder := r.do(request)
		require.Equal(t, c.status, recorder.Code, name+recorder.Body.String())
		require.Equal(t, "application/problem+json", recorder.Header().Get("Content-Type"), name)
		if c.code != "" {
			require.Contains(t, recorder.Body.String(), `"code":"`+c.code+`"`, name)
		}
		if c.reason != "" {
			require.Equal(t, before+1, r.observer.of(c.reason), name)
			require.NotEmpty(t, Explain(c.reason))
			require.Contains(t, Reasons, c.reason)
		}
		for field, value := range c.headers {
			require.Equal(t, value, recorder.Header().Get(field), name)
		}
	}
	require.Empty(t, r.ledger.all())
}

// Whatever package source can say, the answer is one that a provider understands:
// never a success.
func TestDoor_EveryReasonHasAStatus(t *testing.T) {
	t.Parallel()
	for _, reason := range Reasons {
		require.NotEqual(t, string(reason), Explain(reason), reason)
	}
	for _, result := range source.Results {
		for _, reason := range source.Reasons {
			if result == source.OK || result == source.Challenge {
				continue
			}
			status := statusOfVerdict(source.Verdict{Result: result, Reason: reason})
			require.Contains(t, []int{400, 401, 403, 503}, status)
			if reason == source.SignatureMalformed || result == source.BadSignature && reason == source.WrongSecret {
				require.Equal(t, 401, status)
			}
		}
	}
	for _, o := range own {
		require.GreaterOrEqual(t, o.status, 400)
	}
}

func TestDoor_Gateway_G01_RepeatsGetTheFirstOnesID(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token(`"dedupe":"header:X-Id"`)
	first := receiptOf(t, r.post(id, "one", "X-Id", "1").Body)
	require.False(t, first.Duplicate)
	again := r.post(id, "in other words", "X-Id", "1")
	require.Equal(t, http.StatusOK, again.Code)
	repeat := receiptOf(t, again.Body)
	require.True(t, repeat.Duplicate)
	require.Equal(t, first.ID, repeat.ID)
	other := r.token(`"dedupe":"header:X-Id"`)
	require.False(t, receiptOf(t, r.post(other, "one", "X-Id", "1").Body).Duplicate, "another source's ids are others")
	require.Len(t, r.ledger.all(), 2)
	events, duplicates := r.observer.totals()
	require.Equal(t, []int{2, 1}, []int{events, duplicates})
}

func TestDoor_HoldsSourcesToTheirRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id, other := r.token(`"rate_limit":{"per_second":0.5,"burst":2}`), r.token("")
		for range 2 {
			require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		}
		var crowd sync.WaitGroup
		for range 50 {
			crowd.Go(func() { require.Equal(t, http.StatusTooManyRequests, r.post(id, "x").Code) })
		}
		crowd.Wait()
		for range 5 {
			refused := r.post(id, "x")
			require.Equal(t, http.StatusTooManyRequests, refused.Code)
			require.Equal(t, "2", refused.Header().Get("Retry-After"))
		}
		require.Equal(t, http.StatusOK, r.post(other, "x").Code)
		time.Sleep(2 * time.Second) // past the source's freshness too: its bucket stays
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		require.Equal(t, http.StatusTooManyRequests, r.post(id, "x").Code)
		r.put(Source{
			ID: id, Provider: "generic", Secrets: []source.Secret{{Value: "sesame"}},
			Settings: []byte(`{"generic":{"auth":"header_token","header":"X-Auth"},"rate_limit":{"per_second":1000}}`),
		})
		time.Sleep(time.Second)
		require.Equal(t, http.StatusTooManyRequests, r.post(id, "x").Code, "the new rate counts from when it is known")
		time.Sleep(time.Millisecond)
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
	})
}

// What is not genuine is held to the rate by itself, and takes nothing from what is.
func TestDoor_ForgeriesDoNotUseUpTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.token(`"rate_limit":{"per_second":0.5,"burst":2}`)
		forge := func() int {
			return r.do(httptest.NewRequest(http.MethodPost, pathOf(id), strings.NewReader("forged"))).Code
		}
		require.Equal(t, []int{401, 401, 429, 429}, []int{forge(), forge(), forge(), forge()})
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		require.Equal(t, http.StatusTooManyRequests, r.post(id, "x").Code)
		time.Sleep(2 * time.Second)
		require.Equal(t, http.StatusUnauthorized, forge())
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
	})
}

// What was changed counts a second later at the latest, and until then nobody asks
// the database.
func TestDoor_KnowsSourcesForASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.token("")
		for range 50 {
			require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		}
		require.Equal(t, 1, r.asked)
		r.change(func(s *shelf) {
			changed := s.sources[id]
			changed.Secrets = nil // one ended by itself: no new version
			s.sources[id] = changed
		})
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		time.Sleep(time.Second)
		require.Equal(t, http.StatusServiceUnavailable, r.post(id, "x").Code)
		r.change(func(s *shelf) { delete(s.sources, id) })
		time.Sleep(time.Second)
		require.Equal(t, http.StatusNotFound, r.post(id, "x").Code)
		require.Equal(t, http.StatusNotFound, r.post(id, "x").Code)
		require.Equal(t, 3, r.asked)
		r.token("")
		r.change(func(s *shelf) { s.sources[id] = Source{ID: id, Provider: "github", Paused: true} })
		time.Sleep(time.Second)
		require.Equal(t, http.StatusServiceUnavailable, r.post(id, "x").Code)
	})
}

// A secret opens nothing from the moment when it expires.
func TestDoor_KnowsSourcesNoLongerThanTheirSecretsLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.put(Source{
			Provider: "generic", Settings: []byte(`{"generic":{"auth":"header_token","header":"X-Auth"}}`),
			Secrets: []source.Secret{{Value: "sesame"}}, FreshFor: 100 * time.Millisecond,
		})
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		r.put(Source{
			ID: id, Provider: "generic", Settings: []byte(`{"generic":{"auth":"header_token","header":"X-Auth"}}`),
			Secrets: []source.Secret{{Value: "another"}},
		})
		time.Sleep(99 * time.Millisecond)
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		time.Sleep(time.Millisecond)
		require.Equal(t, http.StatusUnauthorized, r.post(id, "x").Code)
	})
}

func TestDoor_SaysOnceWhichSecretMatches(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.put(Source{
		Provider: "generic", Settings: []byte(`{"generic":{"auth":"header_token","header":"X-Auth"}}`),
		Secrets: []source.Secret{{Name: "new", Value: "open"}, {Name: "old", Value: "sesame"}},
	})
	for range 3 {
		require.Equal(t, http.StatusOK, r.post(id, "x").Code)
	}
	require.Equal(t, 1, strings.Count(r.log.String(), "secret=old"))
	require.NotContains(t, r.log.String(), "sesame")
}

func TestDoor_AddressIsWhatTheProviderWasGiven(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ public, configured, path, want string }{
		{"", "", "/in/x?a=1", "http://example.com/in/x?a=1"},
		{"https://hooks.example.org/", "", "/in/x?a=%20", "https://hooks.example.org/in/x?a=%20"},
		{"https://hooks.example.org/below", "", "/in/a%2Fb", "https://hooks.example.org/below/in/a%2Fb"},
		{"https://hooks.example.org", "https://old.example.net/hook?key=1", "/in/x", "https://old.example.net/hook?key=1"},
		{"https://hooks.example.org", "https://old.example.net/hook?key=1", "/in/x?key=2&b", "https://old.example.net/hook?key=2&b"},
	} {
		door := &Door{publicURL: c.public}
		require.Equal(t, c.want, door.addressOf(httptest.NewRequest(http.MethodPost, c.path, http.NoBody), c.configured))
	}
}

func TestDoor_SenderIsWhomATrustedProxyNames(t *testing.T) {
	t.Parallel()
	door := &Door{trustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"203.0.113.9:1", "", "203.0.113.9"},
		{"203.0.113.9:1", "198.51.100.1", "203.0.113.9"}, // said by a stranger
		{"10.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"}, // the first is the sender's invention
		{"10.0.0.1:1", "nonsense", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:1", "::ffff:198.51.100.1", "198.51.100.1"},
		{"@", "198.51.100.1", "invalid IP"},
	} {
		request := httptest.NewRequest(http.MethodPost, "/in/x", http.NoBody)
		request.RemoteAddr = c.peer
		if c.forwarded != "" {
			request.Header.Set("X-Forwarded-For", c.forwarded)
		}
		require.Equal(t, c.want, SenderOf(request, door.trustedProxies).String(), c)
	}
}

// finalError is what package fetch gives for what will never be had.
type finalError struct{ final bool }

func (finalError) Error() string { return "the answer was 404" }
func (e finalError) Final() bool { return e.final }

// What cannot be fetched now is asked for again by the provider; what never can
// be is no proof.
func TestDoor_FetchesWhatVerificationNeeds(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		if v.Provider != "aws_sns" || v.Name != "SubscriptionConfirmation" && v.Name != "Notification SignatureVersion 2" {
			continue
		}
		for _, c := range []struct {
			err    error
			status int
		}{
			{errors.New("timeout"), http.StatusServiceUnavailable},
			{finalError{final: false}, http.StatusServiceUnavailable},
			{finalError{final: true}, http.StatusUnauthorized},
		} {
			r := newRig(t)
			r.shop.err = c.err
			id := r.put(Source{Provider: v.Provider, Secrets: v.record.Secrets})
			response, _ := v.send(t, r.serve().URL+pathOf(id))
			require.Equal(t, c.status, response.StatusCode)
			require.Empty(t, r.ledger.all())
			require.Len(t, r.shop.all(), 1)
		}
		// A certificate that does not help is not fetched again and again.
		r := newRig(t)
		r.shop.content, r.shop.err = []byte("no certificate"), nil
		id := r.put(Source{Provider: v.Provider, Secrets: v.record.Secrets})
		response, _ := v.send(t, r.serve().URL+pathOf(id))
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
		require.Len(t, r.shop.all(), 1)
	}
}

func TestDoor_OwnReceipts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token(`"success":{"status":202,"body":"<ok/>","content_type":"text/xml"}`)
	answer := r.post(id, "x")
	require.Equal(t, 202, answer.Code)
	require.Equal(t, "<ok/>", answer.Body.String())
	require.Equal(t, "text/xml", answer.Header().Get("Content-Type"))
	silent := r.post(r.token(`"success":{"status":204}`), "x")
	require.Equal(t, 204, silent.Code)
	require.Empty(t, silent.Body.String())
	created := r.post(r.token(`"success":{"status":201}`), "x")
	require.Equal(t, 201, created.Code)
	require.NotEmpty(t, receiptOf(t, bytes.NewReader(created.Body.Bytes())).ID)
}

// Whatever is said, no browser takes it for a page of this origin.
func TestDoor_AnswersAreNoPages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token(`"success":{"status":200,"body":"<script>alert(1)</script>","content_type":"text/xml"}`)
	shaken := r.put(Source{Provider: "msgraph", Secrets: []source.Secret{{Value: "s"}}})
	for _, answer := range []*httptest.ResponseRecorder{
		r.post(id, "x"), r.post(newID(), "x"), r.post(r.token(""), "x"), r.post(r.put(Source{Provider: "github"}), "x"),
		r.do(httptest.NewRequest(http.MethodPost, pathOf(shaken)+"?validationToken=%3Cscript%3E", http.NoBody)),
	} {
		require.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
		require.Equal(t, "default-src 'none'; sandbox", answer.Header().Get("Content-Security-Policy"))
	}
}
