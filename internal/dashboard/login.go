package dashboard

import (
	"errors"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
)

// openRoute is one that needs no session.
type openRoute struct {
	serve  func(*visit) error
	framed bool // it may be shown inside of a customer's page
}

func (d *dashboard) openRoutes() map[string]openRoute {
	return map[string]openRoute{
		"GET /login":            {serve: d.showLogin},
		"POST /login":           {serve: d.logIn},
		"POST /logout":          {serve: d.logOut, framed: true},
		"GET /welcome/{token}":  {serve: d.showWelcome},
		"POST /welcome/{token}": {serve: d.welcome},
		"GET /portal/{token}":   {serve: d.showPortal, framed: true},
		"POST /portal/{token}":  {serve: d.openPortal, framed: true},
		"POST /preferences":     {serve: d.setPreferences, framed: true},
	}
}

// loginView is what the log-in page shows.
type loginView struct {
	Name  string
	Next  string
	Fault string
}

func (d *dashboard) showLogin(v *visit) error {
	next := page.LocalPath(v.Query("next"))
	if v.loggedIn() {
		return v.Redirect(next)
	}
	return v.Show(page.Content{Title: logInText.In(v.Context()), Bare: true, Body: loginPage(loginView{Next: next})})
}

// logIn compares the password. Whatever is wrong (the name, the password, a
// disabled user) is answered alike, after the same work.
func (d *dashboard) logIn(v *visit) error {
	name, password := v.Field("name"), v.PostForm.Get("password")
	next := page.LocalPath(v.Field("next"))
	if len(name) > longestName || len(password) > 4*longestPassword {
		return d.refuseLogin(v, loginView{Next: next, Fault: wrongLoginText.In(v.Context())}, http.StatusUnauthorized)
	}
	attempt, wait := d.doors.admit(foldedName(name), v.Visitor.Address)
	if wait > 0 {
		v.Writer.Header().Set("Retry-After", retryAfter(wait))
		fault := tooManyText.In(v.Context(), lang.Duration(v.Context(), wait.Round(time.Second)+time.Second))
		return d.refuseLogin(v, loginView{Name: name, Next: next, Fault: fault}, http.StatusTooManyRequests)
	}
	user, found, err := d.Accounts.UserNamed(v.Context(), name)
	if err != nil {
		return err
	}
	if !found || user.Disabled {
		user = User{}
	}
	matches, err := d.hashing.matches(v.Context(), password, user.PasswordHash)
	if err != nil {
		return err
	}
	if !matches {
		d.Log.WarnContext(v.Context(), "a log-in failed", "address", v.Visitor.Address.String())
		return d.refuseLogin(v, loginView{Name: name, Next: next, Fault: wrongLoginText.In(v.Context())}, http.StatusUnauthorized)
	}
	attempt.succeeded()
	switch err := d.openSession(v, user); {
	case errors.Is(err, ErrChanged):
		return d.refuseLogin(v, loginView{Name: name, Next: next, Fault: wrongLoginText.In(v.Context())}, http.StatusUnauthorized)
	case err != nil:
		return err
	}
	return v.Redirect(next)
}

func (d *dashboard) refuseLogin(v *visit, view loginView, status int) error {
	return v.Show(page.Content{Title: logInText.In(v.Context()), Bare: true, Status: status, Body: loginPage(view)})
}

// openSession lets a user in with a token that nobody knew before, and ends the
// session that the browser had.
func (d *dashboard) openSession(v *visit, user User) error {
	token := newToken()
	if err := d.Accounts.OpenSession(v.Context(), hashOf(token), user); err != nil {
		return err
	}
	if v.loggedIn() {
		if err := d.Accounts.CloseSession(v.Context(), hashOf(v.token)); err != nil {
			return err
		}
	}
	v.cookies.set(v.Writer, sessionCookie, token, 0)
	d.Log.InfoContext(v.Context(), "a user logged in", "user", user.Name, "address", v.Visitor.Address.String())
	return nil
}

func (d *dashboard) logOut(v *visit) error {
	if v.loggedIn() {
		if err := d.Accounts.CloseSession(v.Context(), hashOf(v.token)); err != nil {
			return err
		}
	}
	if v.cookies.read(sessionCookie) != "" {
		v.cookies.set(v.Writer, sessionCookie, "", -1)
	}
	v.Writer.Header().Set("Clear-Site-Data", `"cache"`)
	if v.Visitor.Portal {
		return d.showLeft(v)
	}
	v.Tell(page.Done, loggedOutText)
	return v.Redirect("/login")
}

// setPreferences keeps colours and language in cookies, also for who is not
// logged in.
func (d *dashboard) setPreferences(v *visit) error {
	for _, theme := range page.Themes {
		if v.Field("theme") == string(theme) {
			v.cookies.set(v.Writer, themeCookie, string(theme), preferenceTime)
		}
	}
	for _, l := range lang.Languages {
		if v.Field("language") == string(l.Language) {
			v.cookies.set(v.Writer, languageCookie, string(l.Language), preferenceTime)
		}
	}
	return v.Redirect(v.Field("next"))
}
