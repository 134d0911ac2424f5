package dashboard

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
	"github.com/malotehq/malote/internal/delivery"
)

// maxFormBytes is more than any form of ours has.
const maxFormBytes = 256 << 10

// visit is a request with whose it is.
type visit struct {
	*page.Request
	token   string // of the session; "": there is none
	session Session
	cookies cookies
}

func (v *visit) loggedIn() bool { return v.token != "" }

// anybody serves what needs no session.
func (d *dashboard) anybody(route openRoute) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.enter(w, r, route.framed)
		if err == nil {
			err = d.checkForm(v)
		}
		if err == nil {
			err = route.serve(v)
		}
		d.finish(v, err)
	})
}

// member serves a route to who is logged in and has the role.
func (d *dashboard) member(route page.Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.enter(w, r, true)
		switch {
		case err != nil:
		case !v.loggedIn():
			err = errLogIn
		case !route.Open(v.Visitor):
			err = errRole
			if v.Visitor.Portal {
				err = page.NotFound() // customers need not know what else there is
			}
		default:
			if err = d.checkForm(v); err == nil {
				err = route.Serve(v.Request)
			}
		}
		d.finish(v, err)
	})
}

// Errors of the shell.
var (
	errLogIn = errors.New("nobody is logged in")
	errRole  = errors.New("the visitor's role does not allow this")
	// errForm: the request did not come from a page of ours in this session.
	errForm = errors.New("the form is not one of this session's")
)

// enter finds out who asks, and reads the form. The visit is never nil: an error
// can be shown to it. mayFrame: the answer may be shown in a frame, if that is
// where it was asked for.
func (d *dashboard) enter(w http.ResponseWriter, r *http.Request, mayFrame bool) (*visit, error) {
	v := &visit{}
	session, token, cookies, err := d.sessionOf(r)
	v.cookies = cookies
	d.protect(w, cookies.framed && mayFrame)
	view := d.viewOf(r, cookies)
	if token != "" {
		v.token, v.session = token, session
		d.welcomeIn(view, session, token)
	}
	r = r.WithContext(page.WithView(r.Context(), view))
	v.Request = page.NewRequest(w, r, page.Shell{
		Backend: d.Backend, Ending: d.Ending,
		Frame: func(content page.Content) templ.Component {
			if view.Notice != nil { // it is shown now
				cookies.set(w, noticeCookie, "", -1)
			}
			return ui.Frame(content)
		},
		Announce: cookies.announce,
	})
	if err == nil {
		err = readForm(w, r)
	}
	return v, err
}

// viewOf is what a page for nobody in particular knows of the request.
func (d *dashboard) viewOf(r *http.Request, cookies cookies) *page.View {
	view := &page.View{
		Theme: page.ThemeAuto, Language: lang.Choose(cookies.read(languageCookie), r.Header.Get("Accept-Language")),
		Path: r.URL.Path, Here: hereOf(r), Dialog: r.URL.Query().Get("dialog"), Now: d.Now(),
		Framed: cookies.framed, Notice: cookies.notice(),
	}
	for _, theme := range page.Themes {
		if cookies.read(themeCookie) == string(theme) {
			view.Theme = theme
		}
	}
	view.Visitor.Address = d.ClientAddress(r)
	return view
}

// welcomeIn makes a view that of who holds a session.
func (d *dashboard) welcomeIn(view *page.View, session Session, token string) {
	view.FormToken = formToken(token)
	view.Visitor.Name, view.Visitor.Role = session.Name, session.Role
	view.Visitor.Tenant, view.Visitor.Portal = session.Tenant, session.UserID.IsZero()
	if !session.UserID.IsZero() {
		view.Visitor.ID = session.UserID.Format(delivery.UserPrefix)
	}
	for _, item := range d.nav {
		if (page.Route{Need: item.Need, Portal: item.Portal}).Open(view.Visitor) {
			view.Nav = append(view.Nav, item)
		}
	}
}

// sessionOf finds the session that a request's cookie proves; token is "" if
// there is none.
func (d *dashboard) sessionOf(r *http.Request) (_ Session, token string, _ cookies, _ error) {
	places := d.places(r)
	for _, framed := range places {
		cookies := cookies{r, framed}
		token := cookies.read(sessionCookie)
		if token == "" || len(token) > 2*tokenBytes {
			continue
		}
		session, found, err := d.Accounts.FindSession(r.Context(), hashOf(token))
		if err != nil {
			return Session{}, "", cookies, err
		}
		if found && session.Framed == framed {
			return session, token, cookies, nil
		}
	}
	return Session{}, "", cookies{r, places[0]}, nil
}

// readForm reads the body of what changes something; parameters of the address
// never count as the form's.
func readForm(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	if err := r.ParseForm(); err != nil {
		return &page.Problem{Status: http.StatusBadRequest, Code: "invalid_request"}
	}
	return nil
}

// checkForm refuses what another site made the browser send. Both signs are
// asked for: what the browser says of the request's origin, and the token that
// only pages of this session have.
func (d *dashboard) checkForm(v *visit) error {
	if v.Method == http.MethodGet || v.Method == http.MethodHead {
		return nil
	}
	if err := d.origins.Check(v.Request.Request); err != nil {
		return errForm
	}
	if !v.loggedIn() {
		// There is no session to bind a token to, so the browser must have said it.
		if v.Header.Get("Sec-Fetch-Site") == "" && v.Header.Get("Origin") == "" {
			return errForm
		}
		return nil
	}
	given, want := v.PostForm.Get(ui.TokenField), formToken(v.token)
	if subtle.ConstantTimeCompare([]byte(given), []byte(want)) != 1 {
		return errForm
	}
	return nil
}

// isPartial says whether a script asks, which shows no notices.
func isPartial(r *http.Request) bool {
	return r.Header.Get("HX-Request") != "" || strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// hereOf is the address of the page, for links and forms that lead back to it.
func hereOf(r *http.Request) string {
	if r.Method != http.MethodGet {
		return refererPath(r)
	}
	return page.LocalPath(r.URL.RequestURI())
}

// refererPath is the page of ours that a request came from.
func refererPath(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return "/"
	}
	return page.LocalPath(from.RequestURI())
}
