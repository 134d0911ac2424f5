package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Tenant owns endpoints, events and keys.
type Tenant struct {
	ID               string // the caller's slug
	Name             string
	Priority         int
	AlertEmails      []string
	TechnicalContact string
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// TenantPatch changes what is not nil.
type TenantPatch struct {
	Name             *string
	Priority         *int
	AlertEmails      *[]string
	TechnicalContact *string
}

type tenantJSON struct {
	ID               string    `json:"id" example:"acme"`
	Name             string    `json:"name" example:"Acme Ltd"`
	Priority         int       `json:"priority" doc:"A higher one has a larger share while capacity is short: see the creation of a tenant."`
	AlertEmails      []string  `json:"alert_emails" example:"[\"ops@example.com\"]" doc:"Who is mailed when deliveries are dead, if an SMTP server is configured."`
	TechnicalContact string    `json:"technical_contact" doc:"E-mail address of who is mailed when endpoints fail for days or are disabled."`
	CreatedAt        timestamp `json:"created_at" nullable:"false"`
	UpdatedAt        timestamp `json:"updated_at" nullable:"false"`
}

func showTenant(t Tenant) tenantJSON {
	return tenantJSON{
		ID: t.ID, Name: t.Name, Priority: t.Priority, AlertEmails: listed(t.AlertEmails),
		TechnicalContact: t.TechnicalContact, CreatedAt: timestamp{t.CreatedAt}, UpdatedAt: timestamp{t.UpdatedAt},
	}
}

// listed makes an absent list an empty one: lists are never null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

type newTenantJSON struct {
	ID               string   `json:"id" minLength:"1" maxLength:"64" pattern:"^[a-zA-Z0-9_.-]+$" patternDescription:"letters, digits, _, . and -" doc:"Your own name for the tenant. It never changes."`
	Name             string   `json:"name,omitempty" maxLength:"200" doc:"For people."`
	Priority         int      `json:"priority,omitempty" minimum:"0" maximum:"99" doc:"While capacity is short, each endpoint of a tenant with priority p gets p + 1 deliveries for every one of an endpoint with priority 0; everybody has a turn in every round."`
	AlertEmails      []string `json:"alert_emails,omitempty" maxItems:"5" maxLength:"254" doc:"Who is mailed when deliveries are dead, if an SMTP server is configured."`
	TechnicalContact string   `json:"technical_contact,omitempty" maxLength:"254" doc:"E-mail address of who is mailed when endpoints fail for days or are disabled."`
}

type tenantPatchJSON struct {
	Name             *string   `json:"name,omitempty" maxLength:"200" doc:"For people."`
	Priority         *int      `json:"priority,omitempty" minimum:"0" maximum:"99" doc:"Only an admin key may change it."`
	AlertEmails      *[]string `json:"alert_emails,omitempty" maxItems:"5" maxLength:"254" doc:"Who is mailed when deliveries are dead, if an SMTP server is configured. Replaces the list."`
	TechnicalContact *string   `json:"technical_contact,omitempty" maxLength:"254" doc:"E-mail address of who is mailed when endpoints fail for days or are disabled. Empty: nobody."`
}

type tenantPath struct {
	Tenant string `path:"tenant" doc:"The tenant's id."`
}

type createTenantInput struct {
	OncePerKey
	Body newTenantJSON
}

type updateTenantInput struct {
	Tenant string `path:"tenant" doc:"The tenant's id."`
	Body   tenantPatchJSON
}

type tenantAnswer struct {
	Status int
	Body   tenantJSON
}

func (s *server) registerTenants(r *routes) {
	handle(r, route{
		id: "create-tenant", method: http.MethodPost, path: "/v1/tenants", tag: tagTenants, need: mayAdmin,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Create a tenant",
		description: "Everything else belongs to a tenant: endpoints, events, keys.",
		sample:      `{"id": "acme", "name": "Acme Ltd"}`, codes: []Code{TenantExists, TenantReserved, CreatedAndDeleted},
	}, s.createTenant)
	handle(r, route{
		id: "list-tenants", method: http.MethodGet, path: "/v1/tenants", tag: tagTenants, need: mayRead,
		summary: "List tenants", description: "By id. Only an admin key sees others than its own.",
	}, s.listTenants)
	handle(r, route{
		id: "get-tenant", method: http.MethodGet, path: "/v1/tenants/{tenant}", tag: tagTenants, need: mayRead,
		summary: "Get a tenant",
	}, s.getTenant)
	handle(r, route{
		id: "update-tenant", method: http.MethodPatch, path: "/v1/tenants/{tenant}", tag: tagTenants, need: mayManage,
		summary: "Change a tenant", description: "What is left out or `null` stays as it is; lists are replaced as a whole.",
		sample: `{"alert_emails": ["ops@example.com"]}`,
	}, s.updateTenant)
	handle(r, route{
		id: "delete-tenant", method: http.MethodDelete, path: "/v1/tenants/{tenant}", tag: tagTenants, need: mayAdmin,
		summary: "Delete a tenant", description: "It must have no endpoints or sources any more. Its keys stop working within 5 seconds.",
		codes: []Code{TenantInUse, TenantBusy, TenantReserved},
	}, s.deleteTenant)
}

func (s *server) createTenant(ctx context.Context, input *createTenantInput) (*tenantAnswer, error) {
	body := input.Body
	if err := checkAddresses(body.AlertEmails, body.TechnicalContact); err != nil {
		return nil, err
	}
	tenant, created, err := s.Tenants.CreateTenant(ctx, Tenant{
		ID: body.ID, Name: body.Name, Priority: body.Priority,
		AlertEmails: body.AlertEmails, TechnicalContact: body.TechnicalContact,
	}, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, subjectOfTenant(tenant.ID, ""))
	return &tenantAnswer{Status: createdStatus(created), Body: showTenant(tenant)}, nil
}

func (s *server) listTenants(ctx context.Context, input *Paging) (*listAnswer[tenantJSON], error) {
	list := listOf("tenants")
	after, err := list.after(input.Cursor)
	if err != nil {
		return nil, err
	}
	if after != nil && !delivery.ValidTenant(string(after)) {
		return nil, problem(InvalidCursor, "")
	}
	tenants, more, err := s.visibleTenants(ctx, string(after), input.Limit)
	if err != nil {
		return nil, err
	}
	answer := &listAnswer[tenantJSON]{Body: listJSON[tenantJSON]{Data: shown(tenants, showTenant)}}
	if len(tenants) > 0 {
		answer.Body.NextCursor = list.cursor([]byte(tenants[len(tenants)-1].ID), more)
	}
	return answer, nil
}

func (s *server) visibleTenants(ctx context.Context, after string, limit int) (_ []Tenant, more bool, _ error) {
	who := caller(ctx)
	if who.isAdmin() {
		return s.Tenants.Tenants(ctx, after, limit)
	}
	tenant, err := s.Tenants.Tenant(ctx, who.tenant)
	return []Tenant{tenant}, false, err
}

func (s *server) getTenant(ctx context.Context, input *tenantPath) (*tenantAnswer, error) {
	if err := seesTenant(ctx, input.Tenant); err != nil {
		return nil, err
	}
	tenant, err := s.Tenants.Tenant(ctx, input.Tenant)
	if err != nil {
		return nil, err
	}
	return &tenantAnswer{Status: http.StatusOK, Body: showTenant(tenant)}, nil
}

func (s *server) updateTenant(ctx context.Context, input *updateTenantInput) (*tenantAnswer, error) {
	if err := seesTenant(ctx, input.Tenant); err != nil {
		return nil, err
	}
	patch := TenantPatch(input.Body)
	if patch.Priority != nil && !caller(ctx).isAdmin() {
		return nil, problem(InsufficientScope, "Only an admin key may change a tenant's priority: leave priority out.")
	}
	if err := checkAddresses(valueOf(patch.AlertEmails), valueOf(patch.TechnicalContact)); err != nil {
		return nil, err
	}
	tenant, err := s.Tenants.UpdateTenant(ctx, input.Tenant, patch)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfTenant(input.Tenant, membersGiven(ctx, false)))
	return &tenantAnswer{Status: http.StatusOK, Body: showTenant(tenant)}, nil
}

func (s *server) deleteTenant(ctx context.Context, input *tenantPath) (*struct{}, error) {
	if err := seesTenant(ctx, input.Tenant); err != nil {
		return nil, err
	}
	if err := s.Tenants.DeleteTenant(ctx, input.Tenant); err != nil {
		return nil, err
	}
	changed(ctx, subjectOfTenant(input.Tenant, ""))
	return nil, nil
}

func subjectOfTenant(slug, detail string) Subject {
	return Subject{Tenant: slug, Kind: SubjectTenant, ID: slug, Detail: detail}
}

// seesTenant says whether the tenant in a path can exist for the caller.
func seesTenant(ctx context.Context, slug string) error {
	if !delivery.ValidTenant(slug) || !caller(ctx).owner().Owns(slug) {
		return problem(UnknownTenant, "")
	}
	return nil
}

// checkAddresses takes plain e-mail addresses only: what is stored is what goes
// into a message's header.
func checkAddresses(alerts []string, contact string) error {
	for _, address := range alerts {
		if !delivery.ValidMailbox(address) {
			return fault("alert_emails", "must hold e-mail addresses such as ops@example.com")
		}
	}
	if contact != "" && !delivery.ValidMailbox(contact) {
		return fault("technical_contact", "must be an e-mail address such as ops@example.com")
	}
	return nil
}

func valueOf[T any](pointer *T) (value T) {
	if pointer != nil {
		value = *pointer
	}
	return value
}
