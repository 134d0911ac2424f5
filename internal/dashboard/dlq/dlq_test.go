package dlq

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// quiet is an API that is asked and has nothing.
type quiet struct{ asked []string }

func (q *quiet) ServeAPI(w http.ResponseWriter, r *http.Request, _ page.Visitor) {
	q.asked = append(q.asked, r.Method+" "+r.URL.RequestURI())
	_, _ = w.Write([]byte(`{"data":[],"next_cursor":null}`))
}

func (q *quiet) visit(t *testing.T, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, address, http.NoBody)
	r = r.WithContext(page.WithView(r.Context(), &page.View{Visitor: page.Visitor{Role: page.Viewer}}))
	request := page.NewRequest(w, r, page.Shell{Backend: q, Frame: func(c page.Content) templ.Component { return c.Body }})
	require.NoError(t, showList(request))
	return w
}

func TestFilters_AskTheAPI(t *testing.T) {
	t.Parallel()
	const all = "&limit=50&order=oldest"
	for _, test := range []struct {
		address string
		asked   []string
	}{
		{"/dlq", []string{"GET /v1/dead_letters?limit=50&order=oldest", "GET /v1/stats/dead"}},
		{"/dlq?order=newest", []string{"GET /v1/dead_letters?limit=50&order=newest", "GET /v1/stats/dead"}},
		{"/dlq?order=what&tenant=acme", []string{"GET /v1/dead_letters?limit=50&order=oldest&tenant=acme", "GET /v1/stats/dead?tenant=acme"}},
		{"/dlq?endpoint=whe_1&type=a.b&dead_reason=gone&error_code=timeout", []string{
			"GET /v1/dead_letters?dead_reason=gone&endpoint=whe_1&error_code=timeout" + all + "&type=a.b",
			"GET /v1/stats/dead?dead_reason=gone&endpoint=whe_1&error_code=timeout&type=a.b", // how many are left
			"GET /v1/stats/dead?endpoint=whe_1&type=a.b",                                     // and of what the others died
		}},
	} {
		q := &quiet{}
		require.Equal(t, http.StatusOK, q.visit(t, test.address).Code)
		require.Equal(t, test.asked, q.asked, test.address)
	}
	w := (&quiet{}).visit(t, "/dlq?tenant=acme&cursor=x&back=y")
	require.Equal(t, "/dlq?tenant=acme", w.Header().Get("Location"), "a place where nothing is left")
}

func TestAddresses_OfReasonsKeepTheOtherFilters(t *testing.T) {
	t.Parallel()
	f := filters{Tenant: "acme", Reason: "gone", ErrorCode: "timeout", Order: newestFirst}
	require.Equal(t, "/dlq?dead_reason=too_old&order=newest&tenant=acme", f.withReason("too_old", ""))
	require.Equal(t, "/dlq?order=newest&tenant=acme", f.alike().address())
	require.True(t, f.current(records.DeadReason{DeadReason: "gone", LastErrorCode: "timeout"}))
	require.Equal(t, "/dlq", filters{Order: oldestFirst}.address())
}

func TestPreview_CountsWhatGoesWhere(t *testing.T) {
	t.Parallel()
	p := preview{Going: []records.Replayed{{URL: "https://a.example/"}, {URL: "https://b.example/"}, {URL: "https://b.example/"}}}
	require.Equal(t, []target{{"https://b.example/", 2}, {"https://a.example/", 1}}, p.targets())
	o := outcome{Resolved: []records.Resolved{{ID: "1", Resolved: true}, {ID: "2", State: "delivered"}}}
	require.Equal(t, []records.Resolved{{ID: "2", State: "delivered"}}, o.stayed())
}
