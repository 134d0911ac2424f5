package page

import (
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for _, fine := range []string{"/", "/deliveries?state=dead&x=%2F%2Fevil", "/a/b#c"} {
		require.Equal(t, fine, LocalPath(fine))
	}
	for _, bad := range []string{
		"", "deliveries", "//evil.example", "https://evil.example/", "javascript:alert(1)", `/\evil.example`, "/\t/evil.example",
		"/\r\nSet-Cookie: a=b", "\\\\evil.example", "http:evil.example", "/%", "///evil.example",
	} {
		require.Equal(t, "/", LocalPath(bad), bad)
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/a", "//a", "/\\a", "http://a", "/a?b=//c", "/%2f%2fa"} {
		f.Add(seed)
	}
	base, _ := url.Parse("https://malote.example/login")
	f.Fuzz(func(t *testing.T, path string) {
		local := LocalPath(path)
		target, err := base.Parse(local)
		require.NoError(t, err)
		require.Equal(t, "https://malote.example", target.Scheme+"://"+target.Host)
		// Browsers take a backslash for a slash, and drop tabs and line ends.
		as := strings.NewReplacer("\\", "/", "\t", "", "\n", "", "\r", "").Replace(local)
		require.True(t, strings.HasPrefix(as, "/") && !strings.HasPrefix(as, "//"), local)
	})
}

func TestRole(t *testing.T) {
	t.Parallel()
	require.True(t, Admin.Covers(Viewer) && Admin.Covers(Admin) && Support.Covers(Support))
	require.False(t, Viewer.Covers(Support) || Support.Covers(Admin))
	require.False(t, Role("").Covers(Viewer) || Role("root").Covers(Viewer), "an unknown role may do nothing")
}

func TestRoute_CustomersOnlyUseWhatIsMeantForThem(t *testing.T) {
	t.Parallel()
	customer := Visitor{Role: Admin, Tenant: "acme", Portal: true}
	require.False(t, Route{Need: Viewer}.Open(customer))
	require.True(t, Route{Need: Viewer, Portal: true}.Open(customer))
	require.True(t, Route{Need: Viewer}.Open(Visitor{Role: Viewer}))
	require.False(t, Route{}.Open(Visitor{}), "without a role there is nothing")
}

func request(target string) *Request {
	return &Request{Request: httptest.NewRequest(http.MethodGet, target, nil)}
}

func TestPages_WalkForthAndBack(t *testing.T) {
	t.Parallel()
	next := func(cursor string) *string { return &cursor }
	first := request("/deliveries?state=dead")
	p := first.Pages(next("B"))
	require.Equal(t, Paging{Next: "/deliveries?cursor=B&state=dead"}, p)
	p = request(p.Next).Pages(next("C"))
	require.Equal(t, Paging{First: "/deliveries?state=dead", Previous: "/deliveries?state=dead", Next: "/deliveries?back=B&cursor=C&state=dead"}, p)
	p = request(p.Next).Pages(nil)
	require.Equal(t, Paging{First: "/deliveries?state=dead", Previous: "/deliveries?cursor=B&state=dead"}, p)
	require.Zero(t, request("/deliveries").Pages(nil))
}

func TestPages_TrailIsBounded(t *testing.T) {
	t.Parallel()
	r, cursor := request("/x"), "c"
	for range 3 * longestTrail {
		r = request(r.Pages(&cursor).Next)
	}
	require.LessOrEqual(t, strings.Count(r.URL.Query().Get("back"), "."), longestTrail)
}

func TestRead_ChangesWhiteSpaceAlone(t *testing.T) {
	t.Parallel()
	const body = `{"n":1.00000000000000000001,"b":"\u0041","a":1,"a":2}`
	shown := Read([]byte(body))
	require.True(t, shown.Pretty)
	require.Equal(t, body, strings.NewReplacer("\n", "", "  ", "", ": ", ":").Replace(shown.Text))
	require.Equal(t, "plain <b>text</b>", Read([]byte("plain <b>text</b>")).Text)
	require.True(t, Read([]byte("\xff\xfe")).Binary)
	require.True(t, Read([]byte("a\x00b")).Binary)
	long := Read([]byte(strings.Repeat("é", longestShown)))
	require.True(t, long.Cut && !long.Binary)
	require.LessOrEqual(t, len(long.Text), longestShown)
	require.Zero(t, Read(nil).Text)
}

func TestAttachment_TakesNoHeaderFromAName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a\r\nX-Evil: 1", `a"; filename="b.html`, "naïve.csv"} {
		require.NotContains(t, Attachment(name), "\r")
		require.NotContains(t, Attachment(name), "\n")
		kind, parameters, err := mime.ParseMediaType(Attachment(name))
		require.NoError(t, err)
		require.Equal(t, "attachment", kind)
		require.Equal(t, map[string]string{"filename": name}, parameters)
	}
}
