package sources

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/source"
)

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func TestForm_BecomesARequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		provider string
		values   map[string]string
		created  string // what is asked of a new source
		changed  string // and of one that is there
	}{
		{"stripe", map[string]string{}, `{}`,
			`{"dedupe":null,"event_type_from":null,"forward_headers":null,"options":{"content_encoding":null,"filter":null,` +
				`"max_body_bytes":null,"rate_limit":null,"repair":null,"success":null,"tolerance":null,"url":null}}`},
		{"github", map[string]string{"options.repair.hook.owner": "acme", "options.repair.hook.id": "4711", "forward_headers": "X-A\r\nX-B, X-C"},
			`{"forward_headers":["X-A","X-B","X-C"],"options":{"repair":{"hook":{"id":4711,"owner":"acme"}}}}`,
			`{"dedupe":null,"event_type_from":null,"forward_headers":["X-A","X-B","X-C"],"options":{"content_encoding":null,"filter":null,` +
				`"max_body_bytes":null,"rate_limit":null,"repair":{"hook":{"id":4711,"owner":"acme"}},"success":null,"tolerance":null,"url":null}}`},
		{"paddle", map[string]string{"options.rate_limit.per_second": "1,5", "options.filter": "a\r\nb", "options.repair.interval": "not offered"},
			`{"options":{"filter":"a\nb","rate_limit":{"per_second":1.5}}}`,
			`{"dedupe":null,"event_type_from":null,"forward_headers":null,"options":{"content_encoding":null,"filter":"a\nb",` +
				`"max_body_bytes":null,"rate_limit":{"per_second":1.5},"success":null,"tolerance":null,"url":null}}`},
	} {
		fields := fieldsOf(groupsFor(test.provider, test.provider == "stripe" || test.provider == "github"))
		body := request{}
		require.Empty(t, body.fill(fields, func(name string) string { return test.values[name] }))
		require.JSONEq(t, test.created, encoded(t, body), test.provider)
		body.reset(fields)
		require.JSONEq(t, test.changed, encoded(t, body), test.provider)
	}
	require.Equal(t, []page.Fault{{Field: "options.max_body_bytes", Detail: "1 MiB"}},
		request{}.fill(limitsGroup.fields, func(name string) string {
			return map[string]string{"options.max_body_bytes": "1 MiB"}[name]
		}))
}

func TestForm_ShowsWhatIsSet(t *testing.T) {
	t.Parallel()
	var stored records.Source
	require.NoError(t, json.Unmarshal([]byte(`{"name":"n","dedupe":"provider","event_type_from":"json:a","forward_headers":["X-A","X-B"],
		"options":{"generic":{"header":"X-S","addresses":["10.0.0.0/8"]},"max_body_bytes":1048576,"rate_limit":{"per_second":0.5}}}`), &stored))
	groups := groupsFor(generic, false)
	values := valuesOf(stored, groups)
	for name, want := range map[string]string{
		"name": "n", "dedupe": "provider", "event_type_from": "json:a", "forward_headers": "X-A\nX-B", "options.generic.header": "X-S",
		"options.generic.addresses": "10.0.0.0/8", "options.max_body_bytes": "1048576", "options.rate_limit.per_second": "0.5",
		"options.rate_limit.burst": "", "options.filter": "",
	} {
		require.Equal(t, want, values[name], name)
	}
	// What a form shows, saved as it is, changes nothing.
	body := request{}
	require.Empty(t, body.fill(fieldsOf(groups), func(name string) string { return values[name] }))
	require.JSONEq(t, `{"generic":{"header":"X-S","addresses":["10.0.0.0/8"]},"max_body_bytes":1048576,"rate_limit":{"per_second":0.5}}`,
		encoded(t, body["options"]))
}

func TestReasons_AreAllExplained(t *testing.T) {
	t.Parallel()
	for _, reason := range source.Reasons {
		if reason != source.Verified && reason != source.Handshake {
			require.Contains(t, reasonWords, string(reason))
		}
	}
	for reason := range reasonNames {
		require.Contains(t, reasonWords, reason)
	}
}
