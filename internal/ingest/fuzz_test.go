package ingest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// Whatever is sent to whichever provider's source, the door answers, keeps
// nothing, and acknowledges nothing but what is committed.
func FuzzDoor(f *testing.F) {
	recorded := vectors(f)
	for i := range recorded {
		v := &recorded[i]
		var header strings.Builder
		for _, field := range v.record.Request.Header {
			header.WriteString(field.Name + ":" + field.Value + "\n")
		}
		f.Add(uint16(i), v.record.Request.Method, "", header.String(), v.record.Request.Body)
	}
	f.Add(uint16(0), "POST", "validationToken=<script>", "Content-Encoding: gzip\n", pack("gzip", []byte("{}")))
	r := newRig(f)
	r.shop.content, r.shop.err = []byte("-----BEGIN CERTIFICATE-----"), nil
	ids := make([]delivery.ID, len(recorded))
	for i := range recorded {
		v := &recorded[i]
		ids[i] = r.put(Source{Provider: v.Provider, Settings: v.settings(f), Secrets: v.record.Secrets})
	}
	f.Fuzz(func(t *testing.T, which uint16, method, query, header string, body []byte) {
		if !isToken(method) {
			return
		}
		request := httptest.NewRequest(http.MethodPost, pathOf(ids[int(which)%len(ids)]), strings.NewReader(string(body)))
		request.Method, request.URL = method, &url.URL{Path: request.URL.Path, RawQuery: query}
		for line := range strings.Lines(header) {
			if name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), ":"); found && isToken(name) {
				request.Header.Add(name, value)
			}
		}
		before, _ := r.observer.totals()
		stored := len(r.ledger.all())
		recorder := r.do(request)
		after, _ := r.observer.totals()
		require.Len(t, r.ledger.all(), stored+after-before)
		if recorder.Code/100 != 2 {
			require.Equal(t, before, after)
			require.Contains(t, []int{400, 401, 403, 405, 413, 415, 503}, recorder.Code)
		}
		for _, event := range r.ledger.all()[stored:] {
			require.True(t, delivery.ValidType(event.Type))
			require.LessOrEqual(t, len(event.IdempotencyKey), 256)
			for _, passed := range event.Headers {
				require.Empty(t, stays(passed.Name, &source.Provider{}))
			}
		}
		require.Zero(t, r.door.room.places.taken.Load())
		require.Zero(t, r.door.room.bytes.taken.Load())
	})
}
