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
}

func (v *visit) loggedIn() bool { return v.token != "" }

// anybody serves what needs no session.
func (d *dashboard) anybody(serve func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.enter(w, r)
		if err == nil {
			err = d.checkForm(v)
		}
		if err == nil {
			err = serve(v)
		}
		d.finish(v, err)
	})
}

// member serves a route to who is logged in and has the role.
func (d *dashboard) member(route page.Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.enter(w, r)
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
// can be shown to it.
func (d *dashboard) enter(w http.ResponseWriter, r *http.Request) (*visit, error) {
	d.protect(w, false)
	view := &page.View{
		Theme: page.ThemeAuto, Language: lang.Choose(readCookie(r, languageCookie), r.Header.Get("Accept-Language")),
		Path: r.URL.Path, Here: hereOf(r), Dialog: r.URL.Query().Get("dialog"), Now: d.Now(),
	}
	for _, theme := range page.Themes {
		if readCookie(r, themeCookie) == string(theme) {
			view.Theme = theme
		}
	}
	v := &visit{}
	session, token, err := d.sessionOf(r)
	if token != "" {
		v.token, v.session = token, session
		view.FormToken, view.Framed = formToken(token), session.Framed
		view.Visitor = page.Visitor{
			Name: session.Name, Role: session.Role, Tenant: session.Tenant, Portal: session.UserID.IsZero(),
		}
		if !session.UserID.IsZero() {
			view.Visitor.ID = session.UserID.Format(delivery.UserPrefix)
		}
		for _, item := range d.nav {
			if (page.Route{Need: item.Need, Portal: item.Portal}).Open(view.Visitor) {
				view.Nav = append(view.Nav, item)
			}
		}
		d.protect(w, view.Visitor.Portal)
	}
	view.Visitor.Address = d.ClientAddress(r)
	view.Notice = noticeIn(r)
	r = r.WithContext(page.WithView(r.Context(), view))
	v.Request = page.NewRequest(w, r, page.Shell{
		Backend: d.Backend, Ending: d.Ending,
		Frame: func(content page.Content) templ.Component {
			if view.Notice != nil { // it is shown now
				setCookie(w, r, noticeCookie, "", -1)
			}
			return ui.Frame(content)
		},
		Announce: func(w http.ResponseWriter, notice page.Notice) { announce(w, r, notice) },
	})
	if err == nil {
		err = readForm(w, r)
	}
	return v, err
}

// sessionOf finds the session that a request's cookie proves; token is "" if
// there is none.
func (d *dashboard) sessionOf(r *http.Request) (_ Session, token string, _ error) {
	for _, name := range []string{sessionCookie, frameCookie} {
		token := readCookie(r, name)
		if token == "" || len(token) > 2*tokenBytes {
			continue
		}
		session, found, err := d.Accounts.FindSession(r.Context(), hashOf(token))
		if err != nil {
			return Session{}, "", err
		}
		if found && session.Framed == (name == frameCookie) {
			return session, token, nil
		}
	}
	return Session{}, "", nil
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
