package api

import (
	"bytes"
	"cmp"
	"html"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

func TestDocs_NeedNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for path, contentType := range map[string]string{"/docs": "text/html; charset=utf-8", "/docs/style.css": "text/css; charset=utf-8"} {
		answer := r.call("GET", path, "", "")
		require.Equal(t, http.StatusOK, answer.Code)
		require.Equal(t, contentType, answer.Header().Get("Content-Type"))
		require.Equal(t, docsPolicy, answer.Header().Get("Content-Security-Policy"))
		page := answer.Body.String()
		require.NotRegexp(t, `(?i)<script|<iframe|<img|<object|<form|@import|url\(|\son[a-z]+=|style=|srcset=|src=`, page)
		for _, match := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			require.Regexp(t, `^(#[a-zA-Z]|/docs/style\.css$|/openapi\.json$)`, match[1])
		}
	}
}

func TestDocs_NameEverything(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	page := r.call("GET", "/docs", "", "").Body.String()
	for _, o := range operations(t, r) {
		require.Contains(t, page, `<h3 id="`+o.OperationID+`">`)
		require.Contains(t, page, `<b class="`+o.method+`">`+o.method+"</b> <code>"+o.path+"</code>")
	}
	for _, m := range meanings {
		require.Contains(t, page, `<tr id="`+string(m.code)+`" `, "problems link to their code")
		require.Regexp(t, `\.$`, m.advice)
		require.GreaterOrEqual(t, m.status, 400)
	}
	ids := map[string]int{}
	for _, match := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		ids[match[1]]++
		require.Equal(t, 1, ids[match[1]], "the id %s is there twice", match[1])
	}
	for _, match := range regexp.MustCompile(`(?:href="#|labelledby=")([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, ids, match[1], "a link leads nowhere")
	}
}

// Screen readers and small screens depend on these.
func TestDocs_CanBeReadByEverybody(t *testing.T) {
	t.Parallel()
	page := newRig(t).call("GET", "/docs", "", "").Body.String()
	require.Contains(t, page, `<html lang="en">`)
	require.Contains(t, page, `content="width=device-width, initial-scale=1"`)
	require.Regexp(t, `<body>\s*<a class="skip" href="#main">`, page)
	require.Contains(t, page, `<main id="main" tabindex="-1">`)
	before := 0
	for _, match := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(page, -1) {
		level := int(match[1][0] - '0')
		require.LessOrEqual(t, level, before+1, "a heading skips a level")
		before = level
	}
	require.Equal(t, 1, strings.Count(page, "<h1"))
	require.NotContains(t, page, "`", "code is marked as code")
}

func TestDocs_SamplesAreWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	holds := contract(t, r)
	page := r.call("GET", "/docs", "", "").Body.String()
	samples := regexp.MustCompile(`(?s)<summary>(\w+) as JSON.*?<code>(.*?)</code>`).FindAllStringSubmatch(page, -1)
	require.Greater(t, len(samples), 15)
	for _, sample := range samples {
		answer := r.call("GET", "/healthz", "", "")
		answer.Body = bytes.NewBufferString(html.UnescapeString(sample[2]))
		holds(sample[1], answer)
	}
}

// Every example works as it stands there, and is answered with the status that
// the document promises.
func TestDocs_ExamplesWork(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	delete(r.tenants, "acme") // the first example creates it
	event := r.addEvent("acme", "invoice.paid", []byte("1"))
	secret, _, err := r.AddSecret(t.Context(), AnyTenant, r.acme, "whsec_", Once{})
	require.NoError(t, err)
	job, _, err := r.StartRecovery(t.Context(), "acme", RecoveryWindow{Endpoint: r.acme}, Once{})
	require.NoError(t, err)
	src, _ := r.addSource(t, "globex", "stripe", "")
	inbound, _, err := r.AddSourceSecret(t.Context(), AnyTenant, src, source.Secret{Value: "x"}, Once{})
	require.NoError(t, err)
	_, _, err = r.CreateUser(t.Context(), "carla", RoleAdmin, Once{})
	require.NoError(t, err)
	user, _, err := r.CreateUser(t.Context(), "bob", RoleViewer, Once{})
	require.NoError(t, err)
	variables := map[string]string{
		"MALOTE_SERVER": "", "MALOTE_API_KEY": adminKey, "EVENT_ID": event.Format(delivery.EventPrefix),
		"ENDPOINT_ID": r.acme.Format(delivery.EndpointPrefix), "SECRET_ID": secret.ID.Format(delivery.SecretPrefix),
		"DELIVERY_ID": r.addDelivery("acme", event, r.acme, delivery.Dead).Format(delivery.DeliveryPrefix),
		"SOURCE_ID":   src.Format(delivery.SourcePrefix), "SOURCE_SECRET_ID": inbound.ID.Format(delivery.SecretPrefix),
		"RECOVERY_ID": job.ID.Format(delivery.RecoveryPrefix),
		"USER_ID":     user.ID.Format(delivery.UserPrefix),
		"KEY_ID":      r.keys[readKey].ID.Format(delivery.KeyPrefix),
	}
	all := operations(t, r)
	slices.SortStableFunc(all, func(a, b operation) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(b.OperationID, a.OperationID))
	})
	for _, o := range all {
		require.Len(t, o.Samples, 1, o.OperationID)
		answer := r.curl(t, o.Samples[0].Source, variables)
		require.Contains(t, o.Responses, strconv.Itoa(answer.Code), "%s: %s", o.OperationID, answer.Body)
	}
}

// place is when an example has all that it needs: secrets go before their
// endpoints, and those before their tenants.
func place(o operation) int {
	switch {
	case o.OperationID == "create-tenant":
		return 0
	case o.method == http.MethodDelete:
		return 2
	default:
		return 1
	}
}

// curl does what curl would with a command, as far as the examples go.
func (r *rig) curl(t *testing.T, command string, variables map[string]string) reply {
	t.Helper()
	words := shellWords(t, command, variables)
	require.Equal(t, "curl", words[0])
	method, url, body, header := "", "", "", []string{}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-X":
			i, method = i+1, words[i+1]
		case "-d":
			i, body = i+1, words[i+1]
		case "-H":
			name, value, found := strings.Cut(words[i+1], ": ")
			require.True(t, found)
			i, header = i+1, append(header, name, value)
		default:
			require.Empty(t, url, words)
			url = words[i]
		}
	}
	switch {
	case method == "" && body == "":
		method = "GET"
	case method == "":
		method = "POST"
	}
	return r.call(method, url, "", body, header...)
}

var shellPart = regexp.MustCompile(`^(?:\\\n|[ ]+|'[^']*'|"[^"]*"|[^\s'"\\$]+)`)

// shellWords reads a command as a shell does. Without quotes, it takes neither
// variables nor line breaks.
func shellWords(t *testing.T, command string, variables map[string]string) []string {
	t.Helper()
	words, joined := []string{}, false
	for command != "" {
		part := shellPart.FindString(command)
		require.NotEmpty(t, part, command)
		command = command[len(part):]
		switch part[0] {
		case '\\', ' ':
			joined = false
			continue
		case '\'':
			part = strings.Trim(part, "'")
		case '"':
			part = os.Expand(strings.Trim(part, `"`), func(name string) string {
				require.Contains(t, variables, name)
				return variables[name]
			})
		}
		if joined {
			words[len(words)-1] += part
		} else {
			words = append(words, part)
		}
		joined = true
	}
	return words
}
