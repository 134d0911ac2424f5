package dashboard

import (
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/delivery"
)

// own are the shell's own pages: what a user does about their own account.
func (d *dashboard) own() page.Group {
	return page.Group{Name: "account", Routes: []page.Route{
		{Pattern: "GET /{$}", Need: page.Viewer, Portal: true, Serve: d.showFirst},
		{Pattern: "GET /account", Need: page.Viewer, Serve: d.showAccount},
		{Pattern: "POST /account/password", Need: page.Viewer, Serve: d.changePassword},
		{Pattern: "POST /account/sessions/close", Need: page.Viewer, Serve: d.closeSessions},
	}}
}

// showFirst leads to the first page that the visitor has.
func (d *dashboard) showFirst(r *page.Request) error {
	nav := page.From(r.Context()).Nav
	if len(nav) == 0 {
		return r.Redirect("/account")
	}
	return r.Redirect(nav[0].Path)
}

// accountView is what the account's page shows.
type accountView struct {
	CurrentFault  string
	PasswordFault string
}

func (d *dashboard) showAccount(r *page.Request) error {
	return d.showAccountForm(r, accountView{}, http.StatusOK)
}

func (d *dashboard) showAccountForm(r *page.Request, view accountView, status int) error {
	return r.Show(page.Content{Title: accountTitle.In(r.Context()), Status: status, Body: accountPage(view)})
}

// changePassword asks for the present one: who finds an open browser should not
// be able to keep the account. Trying passwords here is throttled like a log-in.
func (d *dashboard) changePassword(r *page.Request) error {
	user, err := d.userOf(r)
	if err != nil {
		return err
	}
	attempt, wait := d.doors.admit(foldedName(user.Name), r.Visitor.Address)
	if wait > 0 {
		r.Writer.Header().Set("Retry-After", retryAfter(wait))
		return d.showAccountForm(r, accountView{CurrentFault: tooManyShortText.In(r.Context())}, http.StatusTooManyRequests)
	}
	view := accountView{}
	matches, err := d.hashing.matches(r.Context(), r.PostForm.Get("current"), user.PasswordHash)
	if err != nil {
		return err
	}
	if !matches {
		view.CurrentFault = wrongPasswordText.In(r.Context())
		return d.showAccountForm(r, view, http.StatusUnprocessableEntity)
	}
	attempt.succeeded()
	password := r.PostForm.Get("password")
	if fault := passwordFault(password, r.PostForm.Get("again"), user.Name); !fault.IsZero() {
		view.PasswordFault = fault.In(r.Context())
		return d.showAccountForm(r, view, http.StatusUnprocessableEntity)
	}
	hash, err := d.hashing.hash(r.Context(), password)
	if err != nil {
		return err
	}
	if err := d.Accounts.SetPassword(r.Context(), user.ID, hash, d.sessionHash(r)); err != nil {
		return err
	}
	r.Tell(page.Done, passwordChangedText)
	return r.Redirect("/account")
}

func (d *dashboard) closeSessions(r *page.Request) error {
	user, err := d.userOf(r)
	if err != nil {
		return err
	}
	if _, err := d.Accounts.CloseOtherSessions(r.Context(), user.ID, d.sessionHash(r)); err != nil {
		return err
	}
	r.Tell(page.Done, sessionsClosedText)
	return r.Redirect("/account")
}

// sessionHash is that of the session that the request was let in with: a user's,
// which is never in a frame.
func (d *dashboard) sessionHash(r *page.Request) Hash {
	return hashOf(cookies{r: r.Request}.read(sessionCookie))
}

func (d *dashboard) userOf(r *page.Request) (User, error) {
	id, err := delivery.ParseID(delivery.UserPrefix, r.Visitor.ID)
	if err != nil {
		return User{}, page.NotFound()
	}
	user, found, err := d.Accounts.User(r.Context(), id)
	if err == nil && !found {
		err = page.NotFound()
	}
	return user, err
}
