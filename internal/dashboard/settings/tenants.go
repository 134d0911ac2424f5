package settings

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
)

// tenant is one of /v1/tenants.
type tenant struct {
	ID               string    `json:"id"`
	Name             string    `json:"name"`
	Priority         int       `json:"priority"`
	AlertEmails      []string  `json:"alert_emails"`
	TechnicalContact string    `json:"technical_contact"`
	CreatedAt        time.Time `json:"created_at"`
}

// ownTenant is Malote itself, to whose endpoints alerts go.
const ownTenant = "malote"

func (t tenant) path() string { return tenantsPath + page.Path(t.ID) }

type tenantsView struct {
	Rows   []tenant
	Paging page.Paging
}

func showTenants(r *page.Request) error {
	found, err := page.Get[page.List[tenant]](r, page.API("tenants"), cursorOf(r))
	if err != nil {
		return err
	}
	view := tenantsView{found.Data, r.Pages(found.NextCursor)}
	return r.Show(page.Content{Title: tenantsTitle.In(r.Context()), Body: tenantsPage(view)})
}

// tenantForm is a tenant as a form has it.
type tenantForm struct {
	ID, Name, Priority, Emails, Contact string

	Refusal *page.Problem
}

func formOf(t tenant) tenantForm {
	return tenantForm{
		ID: t.ID, Name: t.Name, Priority: strconv.Itoa(t.Priority), Emails: strings.Join(t.AlertEmails, "\n"), Contact: t.TechnicalContact,
	}
}

func readForm(r *page.Request) tenantForm {
	return tenantForm{
		ID: r.Field("id"), Name: r.Field("name"), Priority: r.Field("priority"), Emails: r.Field("alert_emails"), Contact: r.Field("technical_contact"),
	}
}

// body is what the API takes. What is no number goes there as it is: the API
// says what is wrong with it.
func (f tenantForm) body() map[string]any {
	var priority any = f.Priority
	if number, err := strconv.Atoi(f.Priority); err == nil {
		priority = number
	}
	return map[string]any{
		"name": f.Name, "priority": priority, "technical_contact": f.Contact,
		"alert_emails": strings.FieldsFunc(f.Emails, func(c rune) bool { return strings.ContainsRune(" ,;\t\r\n", c) }),
	}
}

func showNewTenant(r *page.Request) error {
	return showNewTenantForm(r, tenantForm{Priority: "0"})
}

func showNewTenantForm(r *page.Request, form tenantForm) error {
	return r.Show(page.Content{Title: newTenantTitle.In(r.Context()), Status: statusOf(form.Refusal), Body: newTenantPage(form)})
}

func createTenant(r *page.Request) error {
	form := readForm(r)
	body := form.body()
	body["id"] = form.ID
	made, err := page.Send[tenant](r, http.MethodPost, page.API("tenants"), body)
	if problem, refused := page.IsRefusal(err); refused {
		form.Refusal = problem
		return showNewTenantForm(r, form)
	}
	if err != nil {
		return err
	}
	r.Tell(page.Done, tenantMadeText, made.ID)
	return r.Redirect(made.path())
}

type tenantView struct {
	Tenant tenant
	Form   tenantForm
}

func showTenant(r *page.Request) error {
	found, err := page.Get[tenant](r, page.API("tenants", r.PathValue("tenant")), nil)
	if err != nil {
		return err
	}
	return showTenantForm(r, tenantView{found, formOf(found)})
}

func showTenantForm(r *page.Request, view tenantView) error {
	return r.Show(page.Content{Title: view.Tenant.ID, Status: statusOf(view.Form.Refusal), Body: tenantPage(view)})
}

func changeTenant(r *page.Request) error {
	form := readForm(r)
	changed, err := page.Send[tenant](r, http.MethodPatch, page.API("tenants", r.PathValue("tenant")), form.body())
	if problem, refused := page.IsRefusal(err); refused {
		found, err := page.Get[tenant](r, page.API("tenants", r.PathValue("tenant")), nil)
		if err != nil {
			return err
		}
		form.Refusal = problem
		return showTenantForm(r, tenantView{found, form})
	}
	if err != nil {
		return err
	}
	r.Tell(page.Done, tenantChangedText)
	return r.Redirect(changed.path())
}

func deleteTenant(r *page.Request) error {
	slug := r.PathValue("tenant")
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, page.API("tenants", slug), nil); err != nil {
		return err
	}
	r.Tell(page.Done, tenantDeletedText, slug)
	return r.Redirect(tenantsPath)
}
