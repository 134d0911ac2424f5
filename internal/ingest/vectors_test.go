package ingest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/source"
)

// vector is a recorded request and what is expected of it.
type vector struct {
	Provider     string          `json:"provider"`
	Name         string          `json:"name"`
	Expect       source.Result   `json:"expect"`
	AcceptAlso   []source.Result `json:"accept_also"`
	EventID      *string         `json:"event_id"`
	EventType    *string         `json:"event_type"`
	MustNotFetch bool            `json:"must_not_fetch"`
	Response     struct {
		Status      int             `json:"status"`
		ContentType string          `json:"content_type"`
		Body        *string         `json:"body"`
		JSON        json.RawMessage `json:"json"`
		ThenGet     string          `json:"then_get"`
	} `json:"response"`

	record source.Record
}

func vectors(t testing.TB) []vector {
	file, err := os.ReadFile("testdata/inbound_vectors.json")
	require.NoError(t, err)
	var texts []json.RawMessage
	require.NoError(t, json.Unmarshal(file, &texts))
	all := make([]vector, len(texts))
	for i, text := range texts {
		require.NoError(t, json.Unmarshal(text, &all[i]))
		all[i].record, err = source.ParseRecord(text)
		require.NoError(t, err)
	}
	require.Len(t, all, 177)
	return all
}

// settings are those of a source that would get the recorded request.
func (v *vector) settings(t testing.TB) []byte {
	settings := make(map[string]any)
	if v.record.Request.URL != "" {
		settings["url"] = v.record.Request.URL
	}
	if window := v.record.Options.Window; window == source.NoWindow {
		settings["tolerance"] = "off"
	} else if window > 0 {
		settings["tolerance"] = window.String()
	}
	if rule := v.record.Options.Generic; rule != nil {
		settings["generic"] = map[string]string{
			"header": rule.Header, "prefix": rule.Prefix, "algorithm": rule.Algorithm, "encoding": rule.Encoding,
		}
	}
	encoded, err := json.Marshal(settings)
	require.NoError(t, err)
	return encoded
}

// Every recorded request, through HTTP: what is genuine is committed byte for
// byte and acknowledged once, and nothing else is.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.Provider+"/"+v.Name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(o *Options) { o.Now = func() time.Time { return v.record.Now } })
			if len(v.record.Material) > 0 {
				r.shop.content, r.shop.err = v.record.Material, nil
			}
			id := r.put(Source{Provider: v.Provider, Settings: v.settings(t), Secrets: v.record.Secrets})
			address := r.serve().URL + pathOf(id)
			if parsed, err := url.Parse(v.record.Request.URL); err == nil && parsed.RawQuery != "" {
				address += "?" + parsed.RawQuery
			}
			response, body := v.send(t, address)
			accepted := append(slices.Clone(v.AcceptAlso), v.Expect)
			switch response.StatusCode / 100 {
			case 2:
				require.True(t, slices.Contains(accepted, source.OK) || slices.Contains(accepted, source.Challenge))
				v.checkAccepted(t, r, response, body)
				if v.Expect == source.OK {
					again, repeated := v.send(t, address)
					v.checkRepeat(t, r, again, body, repeated)
				}
			default:
				require.False(t, v.Expect == source.OK || v.Expect == source.Challenge, string(body))
				require.Empty(t, r.ledger.all())
				require.Contains(t, []int{400, 401, 403, 503}, response.StatusCode)
				if v.Provider == "discord" {
					require.Equal(t, http.StatusUnauthorized, response.StatusCode)
				}
			}
			require.False(t, v.MustNotFetch && len(r.shop.all()) > 0)
		})
	}
}

func (v *vector) send(t testing.TB, address string) (*http.Response, []byte) {
	request, err := http.NewRequestWithContext(t.Context(), v.record.Request.Method, address, bytes.NewReader(v.record.Request.Body))
	require.NoError(t, err)
	for _, field := range v.record.Request.Header {
		request.Header[field.Name] = append(request.Header[field.Name], field.Value)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, body
}

func (v *vector) checkAccepted(t testing.TB, r *rig, response *http.Response, body []byte) {
	t.Helper()
	events := r.ledger.all()
	if want := v.Response; want.Status != 0 {
		require.Equal(t, want.Status, response.StatusCode)
		if want.ContentType != "" {
			require.Equal(t, want.ContentType, response.Header.Get("Content-Type"))
		}
		if want.Body != nil {
			require.Equal(t, *want.Body, string(body))
		}
		if want.JSON != nil {
			require.JSONEq(t, string(want.JSON), string(body))
		}
		if want.ThenGet != "" {
			require.Equal(t, want.ThenGet, r.shop.all()[len(r.shop.all())-1].URL)
		}
	}
	if v.Expect == source.Challenge {
		require.Empty(t, events)
		return
	}
	require.NotEmpty(t, events)
	isEnvelopes := v.Provider == "okta"
	if v.EventID != nil && !isEnvelopes {
		require.Equal(t, *v.EventID, events[0].ExternalID)
	}
	if v.EventType != nil && !isEnvelopes {
		require.Equal(t, typeName(*v.EventType, v.Provider), events[0].Type)
	}
	for _, event := range events {
		require.Contains(t, string(v.record.Request.Body), string(event.Body))
	}
	if !slices.Contains(inBatches, v.Provider) {
		require.Len(t, events, 1)
		require.Equal(t, string(v.record.Request.Body), string(events[0].Body))
	}
}

// inBatches are the providers whose requests hold several events.
var inBatches = []string{"adyen", "hubspot", "hubspot_v1", "hubspot_v2", "msgraph", "okta", "sendgrid"}

// checkRepeat: the same request again is acknowledged alike and changes nothing.
func (v *vector) checkRepeat(t testing.TB, r *rig, response *http.Response, first, body []byte) {
	t.Helper()
	require.Equal(t, 2, response.StatusCode/100, string(body))
	events := r.ledger.all()
	firsts, duplicates := r.observer.totals()
	require.Len(t, events, firsts)
	if duplicates == 0 {
		t.Logf("%s has nothing that a repetition is known by", v.Provider)
		return
	}
	if response.Header.Get("Content-Type") != "application/json" {
		return
	}
	was, is := receiptOf(t, bytes.NewReader(first)), receiptOf(t, bytes.NewReader(body))
	require.False(t, was.Duplicate)
	require.True(t, is.Duplicate)
	require.Equal(t, was.ID, is.ID)
	require.Equal(t, was.IDs, is.IDs)
}
