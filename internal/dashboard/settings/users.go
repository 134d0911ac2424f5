package settings

import (
	"net/http"
	"net/url"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// user is one of /v1/users.
type user struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	External   bool       `json:"external"`
	CreatedAt  time.Time  `json:"created_at"`
	PasswordAt *time.Time `json:"password_at"`
	SeenAt     *time.Time `json:"seen_at"`
	DisabledAt *time.Time `json:"disabled_at"`
	Link       *link      `json:"link"` // of one that was just invited
}

// link lets its reader set a user's password, once.
type link struct {
	Path    string  `json:"path"`
	URL     *string `json:"url"`
	Seconds float64 `json:"expires_in_seconds"`
}

// address is the whole of the link: where the server does not know its public
// address, the visitor's browser does.
func (l link) address(r *page.Request) string {
	if l.URL != nil {
		return *l.URL
	}
	if origin, err := url.Parse(r.Header.Get("Origin")); err == nil && origin.Host == r.Host {
		return origin.Scheme + "://" + origin.Host + l.Path
	}
	scheme := "https"
	if r.TLS == nil {
		scheme = "http"
	}
	return scheme + "://" + r.Host + l.Path
}

// userState says in a word whether somebody can come in.
type userState string

const (
	active   userState = "active"
	invited  userState = "invited"
	disabled userState = "disabled"
)

func (u user) state() userState {
	switch {
	case u.DisabledAt != nil:
		return disabled
	case u.PasswordAt == nil && !u.External:
		return invited
	default:
		return active
	}
}

func (s userState) tone() ui.Tone {
	return map[userState]ui.Tone{active: ui.Good, invited: ui.Busy, disabled: ui.Muted}[s]
}

func (s userState) icon() string {
	return map[userState]string{active: "check", invited: "clock", disabled: "off"}[s]
}

func (u user) path() string { return usersPath + page.Path(u.ID) }

type usersView struct {
	Rows   []user
	Paging page.Paging
}

func showUsers(r *page.Request) error {
	found, err := page.Get[page.List[user]](r, page.API("users"), cursorOf(r))
	if err != nil {
		return err
	}
	view := usersView{found.Data, r.Pages(found.NextCursor)}
	return r.Show(page.Content{Title: usersTitle.In(r.Context()), Body: usersPage(view)})
}

func cursorOf(r *page.Request) url.Values {
	query := url.Values{}
	if cursor := r.Cursor(); cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}

// newUserView is the form as it was sent, and what is wrong with it.
type newUserView struct {
	Name, Role string
	Refusal    *page.Problem
}

func showNewUser(r *page.Request) error {
	return showNewUserForm(r, newUserView{Role: string(page.Viewer)})
}

func showNewUserForm(r *page.Request, view newUserView) error {
	return r.Show(page.Content{Title: inviteTitle.In(r.Context()), Status: statusOf(view.Refusal), Body: newUserPage(view)})
}

// statusOf is that of a page that shows a form again.
func statusOf(refusal *page.Problem) int {
	if refusal == nil {
		return http.StatusOK
	}
	return refusal.Status
}

func invite(r *page.Request) error {
	view := newUserView{Name: r.Field("name"), Role: r.Field("role")}
	made, err := page.Send[user](r, http.MethodPost, page.API("users"), map[string]string{"name": view.Name, "role": view.Role})
	if problem, refused := page.IsRefusal(err); refused {
		view.Refusal = problem
		return showNewUserForm(r, view)
	}
	if err != nil {
		return err
	}
	return showLink(r, made, made.Link)
}

// linkView is the page that shows a link, this once. Address is empty where a
// form was sent again, whose link was shown already.
type linkView struct {
	User    user
	Address string
	Lasts   time.Duration
}

func showLink(r *page.Request, who user, l *link) error {
	view := linkView{User: who}
	if l != nil {
		view.Address, view.Lasts = l.address(r), time.Duration(l.Seconds*float64(time.Second))
	}
	return r.Show(page.Content{Title: linkTitle.In(r.Context()), Body: linkPage(view)})
}
