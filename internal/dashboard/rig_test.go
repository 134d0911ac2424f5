package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/delivery"
)

const (
	site     = "https://malote.example"
	password = "correct horse battery"
)

// quickCost is so little work that tests are quick.
var quickCost = &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// quickHash is of password.
var quickHash = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash(password, quickCost)
	if err != nil {
		panic(err)
	}
	return hash
})

// rig is a dashboard whose accounts are in memory and whose API answers what the
// test says.
type rig struct {
	*testing.T
	*people
	handler http.Handler
	api     *fakeAPI
	log     *bytes.Buffer
}

func newRig(t *testing.T, change ...func(*Options)) *rig {
	r := &rig{T: t, people: &people{sessions: map[Hash]Session{}, users: map[string]User{}}, api: &fakeAPI{}, log: &bytes.Buffer{}}
	options := Options{
		Backend: r.api, Accounts: r.people, OpenLink: openLink, Log: slog.New(slog.NewTextHandler(r.log, nil)),
		ClientAddress: func(*http.Request) netip.Addr { return netip.MustParseAddr("198.51.100.7") },
	}
	for _, c := range change {
		c(&options)
	}
	r.handler = newHandler(options, newHasher(quickCost))
	return r
}

// fakeAPI notes what is asked of it; answer nil: the database is away.
type fakeAPI struct {
	mu     sync.Mutex
	calls  []string
	answer http.HandlerFunc
}

// ServeAPI implements page.Backend.
func (a *fakeAPI) ServeAPI(w http.ResponseWriter, r *http.Request, _ page.Visitor) {
	a.mu.Lock()
	a.calls = append(a.calls, r.Method+" "+r.URL.Path)
	a.mu.Unlock()
	if a.answer != nil {
		a.answer(w, r)
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(`{"status": 503, "code": "unavailable", "detail": "Try again."}`))
}

func (a *fakeAPI) asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	calls := a.calls
	a.calls = nil
	return calls
}

// people implement Accounts.
type people struct {
	mu       sync.Mutex
	users    map[string]User
	sessions map[Hash]Session
	changed  bool // while a password was compared
	away     error
}

func (p *people) UserNamed(_ context.Context, name string) (User, bool, error) {
	user, found := p.users[foldedName(name)]
	return user, found, nil
}

func (p *people) User(_ context.Context, id delivery.ID) (User, bool, error) {
	for _, user := range p.users {
		if user.ID == id {
			return user, true, nil
		}
	}
	return User{}, false, nil
}

func (p *people) OpenSession(_ context.Context, session Hash, user User) error {
	if p.changed {
		return ErrChanged
	}
	p.keep(session, Session{UserID: user.ID, Name: user.Name, Role: user.Role})
	return nil
}

func (p *people) OpenPortal(_ context.Context, session Hash, link PortalLink, framed bool) error {
	if link.Tenant == "gone" {
		return ErrLink
	}
	p.keep(session, Session{Name: "Acme Ltda", Tenant: link.Tenant, Role: link.Role, Framed: framed})
	return nil
}

// openLink knows tokens that are a tenant's name.
func openLink(token string, _ time.Time) (PortalLink, error) {
	if token != "acme" && token != "gone" {
		return PortalLink{}, ErrLink
	}
	return PortalLink{Tenant: token, Role: page.Support}, nil
}

func (p *people) keep(hash Hash, session Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[hash] = session
}

func (p *people) FindSession(_ context.Context, session Hash) (Session, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.sessions[session]
	return found, ok, nil
}

func (p *people) CloseSession(_ context.Context, session Hash) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, session)
	return nil
}

func (p *people) CloseOtherSessions(context.Context, delivery.ID, Hash) (int, error) { return 0, nil }

func (p *people) FindLink(context.Context, Hash) (Link, error) {
	return Link{}, cmp.Or(p.away, ErrLink)
}

var errAway = errors.New("the database is away")

func awayLink(string, time.Time) (PortalLink, error) { return PortalLink{}, errAway }

func panicAddress(*http.Request) netip.Addr { panic("a mistake of ours") }

func (p *people) UseLink(context.Context, Hash, string, string) (User, error) {
	return User{}, ErrLink
}

func (p *people) SetPassword(context.Context, delivery.ID, string, Hash) error { return nil }

// user makes one who has the password.
func (p *people) user(name string, role page.Role) User {
	user := User{ID: delivery.ID{6: 0x70, 15: byte(len(p.users) + 1)}, Name: name, Role: role, PasswordHash: quickHash()}
	p.users[foldedName(name)] = user
	return user
}

// browser keeps cookies as browsers do, and sends what they send.
type browser struct {
	*rig
	site    string
	cookies map[string]string
	set     []*http.Cookie // by the last answer
}

func (r *rig) browser() *browser { return &browser{rig: r, site: site, cookies: map[string]string{}} }

// as is a browser with a session.
func (r *rig) as(session Session) *browser {
	b := r.browser()
	token, name := newToken(), hostPrefix+sessionCookie
	if session.Framed {
		name += frameSuffix
	}
	r.keep(hashOf(token), session)
	b.cookies[name] = token
	return b
}

// token is that of the browser's session; it has one or none.
func (b *browser) token() string {
	return b.cookies[hostPrefix+sessionCookie] + b.cookies[hostPrefix+sessionCookie+frameSuffix]
}

const framer = "https://app.example"

func framedBy(origins ...string) func(*Options) {
	return func(o *Options) { o.PortalOrigins = origins }
}

// inFrameIf makes a request one of a page in a frame of framer's.
func inFrameIf(framed bool) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set(destHeader, "document")
		if framed {
			r.Header.Set(destHeader, "iframe")
		}
	}
}

func (b *browser) do(request *http.Request) *http.Response {
	b.Helper()
	for name, value := range b.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	recorder := httptest.NewRecorder()
	b.handler.ServeHTTP(recorder, request)
	response := recorder.Result()
	b.set = response.Cookies()
	for _, cookie := range b.set {
		b.cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(b.cookies, cookie.Name)
		}
	}
	return response
}

// request is one as a click or a form of our own page makes it; change may spoil it.
func (b *browser) request(method, path string, form url.Values, change ...func(*http.Request)) *http.Request {
	request := httptest.NewRequest(method, b.site+path, strings.NewReader(form.Encode()))
	if method != http.MethodGet {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", b.site)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range change {
		c(request)
	}
	return request
}

func (b *browser) get(path string, change ...func(*http.Request)) *http.Response {
	b.Helper()
	return b.do(b.request(http.MethodGet, path, nil, change...))
}

// post sends a form with this session's token, unless it has one.
func (b *browser) post(path string, form url.Values, change ...func(*http.Request)) *http.Response {
	b.Helper()
	if form == nil {
		form = url.Values{}
	}
	if !form.Has("_token") {
		form.Set("_token", formToken(b.token()))
	}
	return b.do(b.request(http.MethodPost, path, form, change...))
}

func (b *browser) logIn(name, password string) *http.Response {
	b.Helper()
	return b.post("/login", url.Values{"name": {name}, "password": {password}})
}

func text(t *testing.T, response *http.Response) string {
	t.Helper()
	var b bytes.Buffer
	_, err := b.ReadFrom(response.Body)
	require.NoError(t, err)
	return b.String()
}

// elements are a page's elements of a name, as a browser understands the page.
func elements(t *testing.T, markup, name string) (found []*html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(markup))
	require.NoError(t, err)
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.Data == name {
			found = append(found, node)
		}
	}
	return found
}
