package settings

import (
	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// Where the pages are.
const (
	root        = "/settings"
	usersPath   = root + "/users"
	newUserPath = root + "/new-user"
	keysPath    = root + "/keys"
	newKeyPath  = root + "/new-key"
	tenantsPath = root + "/tenants"
	newTenant   = root + "/new-tenant" // beside the list, for a tenant may be called anything
	auditPath   = root + "/audit"
	aboutPath   = root + "/about"
)

// Group are the pages.
func Group() page.Group {
	group := page.Group{
		Name: "settings",
		Nav:  []page.NavItem{{Section: page.SetUp, Label: title, Path: root, Icon: "settings", Need: page.Admin}},
	}
	for _, route := range []struct {
		pattern string
		serve   page.Handler
	}{
		{"GET " + root, func(r *page.Request) error { return r.Redirect(usersPath) }},
		{"GET " + usersPath, showUsers},
		{"GET " + newUserPath, showNewUser},
		{"POST " + newUserPath, invite},
		{"GET " + usersPath + "/{id}", showUser},
		{"POST " + usersPath + "/{id}/role", changeRole},
		{"POST " + usersPath + "/{id}/disable", disableUser},
		{"POST " + usersPath + "/{id}/enable", enableUser},
		{"POST " + usersPath + "/{id}/link", renewLink},
		{"POST " + usersPath + "/{id}/delete", deleteUser},
		{"GET " + keysPath, showKeys},
		{"GET " + newKeyPath, showNewKey},
		{"POST " + newKeyPath, createKey},
		{"POST " + keysPath + "/{id}/revoke", revokeKey},
		{"GET " + tenantsPath, showTenants},
		{"GET " + newTenant, showNewTenant},
		{"POST " + newTenant, createTenant},
		{"GET " + tenantsPath + "/{tenant}", showTenant},
		{"POST " + tenantsPath + "/{tenant}", changeTenant},
		{"POST " + tenantsPath + "/{tenant}/delete", deleteTenant},
		{"GET " + auditPath, showAudit},
		{"GET " + aboutPath, showAbout},
	} {
		group.Routes = append(group.Routes, page.Route{Pattern: route.pattern, Need: page.Admin, Serve: route.serve})
	}
	return group
}

// tabs lead from one of the pages to the others.
func tabs(current string) []ui.Tab {
	list := []ui.Tab{}
	for _, tab := range []struct {
		label lang.Text
		path  string
	}{{usersTitle, usersPath}, {keysTitle, keysPath}, {tenantsTitle, tenantsPath}, {auditTitle, auditPath}, {aboutTitle, aboutPath}} {
		list = append(list, ui.Tab{Label: tab.label, Path: tab.path, Current: tab.path == current})
	}
	return list
}
