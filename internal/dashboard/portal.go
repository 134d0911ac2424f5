package dashboard

import (
	"errors"
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
)

// longestPortalToken is more than any portal link has, in bytes.
const longestPortalToken = 512

// portalView is what the page behind a portal link shows.
type portalView struct {
	Token  string
	Tenant string
	User   string // who is logged in here, and would not be any more
}

// showPortal opens nothing, so that neither programs that look at links nor
// another site's page can, but in the frame of a page that may have one: that
// page's own people chose it.
func (d *dashboard) showPortal(v *visit) error {
	link, err := d.portalLink(v)
	if err != nil {
		return d.failedPortalLink(v, err)
	}
	if v.cookies.framed && d.framerIsKnown(v.Request.Request) {
		return d.letIn(v, link)
	}
	view := portalView{Token: v.PathValue("token"), Tenant: link.Tenant}
	if v.loggedIn() && !v.Visitor.Portal {
		view.User = v.Visitor.Name
	}
	return v.Show(page.Content{Title: portalTitle.In(v.Context()), Bare: true, Body: portalPage(view)})
}

func (d *dashboard) openPortal(v *visit) error {
	link, err := d.portalLink(v)
	if err != nil {
		return d.failedPortalLink(v, err)
	}
	return d.letIn(v, link)
}

func (d *dashboard) portalLink(v *visit) (PortalLink, error) {
	token := v.PathValue("token")
	if len(token) > longestPortalToken {
		return PortalLink{}, ErrLink
	}
	return d.OpenLink(token, d.Now())
}

// letIn gives the browser a session of the portal's instead of what it had, and
// leads away from the link.
func (d *dashboard) letIn(v *visit, link PortalLink) error {
	token := newToken()
	if err := d.Accounts.OpenPortal(v.Context(), hashOf(token), link, v.cookies.framed); err != nil {
		return d.failedPortalLink(v, err)
	}
	if v.loggedIn() {
		if err := d.Accounts.CloseSession(v.Context(), hashOf(v.token)); err != nil {
			return err
		}
	}
	v.cookies.set(v.Writer, sessionCookie, token, 0)
	d.Log.InfoContext(v.Context(), "somebody came in by a portal link", "tenant", link.Tenant, "role", string(link.Role),
		"framed", v.cookies.framed, "address", v.Visitor.Address.String())
	return v.Redirect("/")
}

func (d *dashboard) failedPortalLink(v *visit, err error) error {
	if !errors.Is(err, ErrLink) {
		return err
	}
	return d.showPortalOver(v, http.StatusGone)
}

// showPortalOver says that there is no way in, and where to find one.
func (d *dashboard) showPortalOver(v *visit, status int) error {
	return v.Show(page.Content{Title: portalOverTitle.In(v.Context()), Bare: true, Status: status, Body: portalOverPage()})
}

// showLeft is what customers see who left: there is no log-in for them.
func (d *dashboard) showLeft(v *visit) error {
	return v.Show(page.Content{Title: portalLeftTitle.In(v.Context()), Bare: true, Body: portalLeftPage()})
}
