package dashboard

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/malotehq/malote/internal/dashboard/page"
)

// longestName is of a user, in bytes.
const longestName = 200

// welcomeView is what the page behind a one-time link shows.
type welcomeView struct {
	Token         string
	First         bool   // the name is still to be given
	Name          string // the user's, or what was typed
	NameFault     string
	PasswordFault string
}

// showWelcome does not use the link up: programs that look at links in mails do
// no harm.
func (d *dashboard) showWelcome(v *visit) error {
	token, link, err := d.linkOf(v)
	if err != nil {
		return d.failedLink(v, err)
	}
	return d.showWelcomeForm(v, welcomeView{Token: token, First: link.First, Name: link.User.Name}, http.StatusOK)
}

func (d *dashboard) showWelcomeForm(v *visit, view welcomeView, status int) error {
	return v.Show(page.Content{Title: choosePasswordText.In(v.Context()), Bare: true, Status: status, Body: welcomePage(view)})
}

func (d *dashboard) linkOf(v *visit) (token string, _ Link, _ error) {
	token = v.PathValue("token")
	if len(token) > 2*tokenBytes {
		return "", Link{}, ErrLink
	}
	link, err := d.Accounts.FindLink(v.Context(), hashOf(token))
	return token, link, err
}

// welcome sets the password that a link lets somebody choose, and lets them in.
func (d *dashboard) welcome(v *visit) error {
	token, link, err := d.linkOf(v)
	if err != nil {
		return d.failedLink(v, err)
	}
	view := welcomeView{Token: token, First: link.First, Name: link.User.Name}
	if link.First {
		view.Name = v.Field("name")
		if !validName(view.Name) {
			view.NameFault = nameFaultText.In(v.Context())
		}
	}
	password := v.PostForm.Get("password")
	if fault := passwordFault(password, v.PostForm.Get("again"), view.Name); !fault.IsZero() {
		view.PasswordFault = fault.In(v.Context())
	}
	if view.NameFault != "" || view.PasswordFault != "" {
		return d.showWelcomeForm(v, view, http.StatusUnprocessableEntity)
	}
	hash, err := d.hashing.hash(v.Context(), password)
	if err != nil {
		return err
	}
	user, err := d.Accounts.UseLink(v.Context(), hashOf(token), view.Name, hash)
	if err != nil {
		return d.failedLink(v, err)
	}
	if err := d.openSession(v, user); err != nil {
		return err
	}
	v.Tell(page.Done, welcomeDoneText)
	return v.Redirect("/")
}

func (d *dashboard) failedLink(v *visit, err error) error {
	if !errors.Is(err, ErrLink) {
		return err
	}
	return v.Show(page.Content{Title: linkOverTitle.In(v.Context()), Bare: true, Status: http.StatusGone, Body: linkOverPage()})
}

// validName takes an e-mail address or another name that can be read aloud.
func validName(name string) bool {
	return name != "" && len(name) <= longestName &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// foldedName is a name as names are compared.
func foldedName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// retryAfter is the header's, in whole seconds.
func retryAfter(wait time.Duration) string {
	return strconv.Itoa(int(wait/time.Second) + 1)
}

// inviteCommand makes a new link for a user.
const inviteCommand = "malote users invite --role admin you@example.com"
