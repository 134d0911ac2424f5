package settings

import (
	"net/http"
	"net/url"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
)

// userView is what a user's page shows.
type userView struct {
	User user
	Self bool // the visitor's own
	Last bool // nobody else could let others in
}

// most is how many users are looked at to find another administrator: the
// longest page of the API's. The API itself looks at all.
const most = "250"

func showUser(r *page.Request) error {
	found, err := page.Get[user](r, page.API("users", r.PathValue("id")), nil)
	if err != nil {
		return err
	}
	view := userView{User: found, Self: found.ID == r.Visitor.ID}
	if canLetIn(found) {
		all, err := page.Get[page.List[user]](r, page.API("users"), url.Values{"limit": {most}})
		if err != nil {
			return err
		}
		view.Last = isLast(found, all)
	}
	return r.Show(page.Content{Title: found.Name, Body: userPage(view)})
}

// canLetIn says whether the user could let others in.
func canLetIn(u user) bool { return u.Role == string(page.Admin) && u.state() == active }

func isLast(u user, all page.List[user]) bool {
	for _, other := range all.Data {
		if other.ID != u.ID && canLetIn(other) {
			return false
		}
	}
	return all.NextCursor == nil
}

// sure says whether the visitor confirmed what would shut them out of here; for
// everybody else's account there is nothing to confirm.
func sure(r *page.Request) bool {
	return r.PathValue("id") != r.Visitor.ID || r.Field("sure") == "yes"
}

// askAgain leads back to the dialog that asks whether the visitor is sure.
func askAgain(r *page.Request, dialog string) error {
	r.Tell(page.Failed, unsureText)
	return r.Redirect(page.Link(usersPath+page.Path(r.PathValue("id")), "dialog", dialog))
}

func changeRole(r *page.Request) error {
	role := r.Field("role")
	if role != string(page.Admin) && !sure(r) {
		return askAgain(r, "role")
	}
	changed, err := page.Send[user](r, http.MethodPatch, page.API("users", r.PathValue("id")), map[string]string{"role": role})
	if err != nil {
		return err
	}
	return done(r, changed, roleChangedText)
}

// done tells what was done, where the visitor may still read it.
func done(r *page.Request, u user, text lang.Text) error {
	r.Tell(page.Done, text, u.Name)
	if u.ID == r.Visitor.ID && !canLetIn(u) {
		return r.Redirect("/") // these pages are theirs no more
	}
	return r.Redirect(u.path())
}

func disableUser(r *page.Request) error {
	if !sure(r) {
		return askAgain(r, "disable")
	}
	changed, err := page.Send[user](r, http.MethodPost, page.API("users", r.PathValue("id"), "disable"), nil)
	if err != nil {
		return err
	}
	return done(r, changed, disabledText)
}

func enableUser(r *page.Request) error {
	changed, err := page.Send[user](r, http.MethodPost, page.API("users", r.PathValue("id"), "enable"), nil)
	if err != nil {
		return err
	}
	return done(r, changed, enabledText)
}

func deleteUser(r *page.Request) error {
	if !sure(r) {
		return askAgain(r, "delete")
	}
	found, err := page.Get[user](r, page.API("users", r.PathValue("id")), nil)
	if err != nil {
		return err
	}
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, page.API("users", found.ID), nil); err != nil {
		return err
	}
	r.Tell(page.Done, deletedText, found.Name)
	if found.ID == r.Visitor.ID {
		return r.Redirect("/")
	}
	return r.Redirect(usersPath)
}

func renewLink(r *page.Request) error {
	found, err := page.Get[user](r, page.API("users", r.PathValue("id")), nil)
	if err != nil {
		return err
	}
	made, err := page.Send[link](r, http.MethodPost, page.API("users", found.ID, "link"), nil)
	if err != nil {
		return err
	}
	return showLink(r, found, &made)
}
