package endpoints

import (
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/contractpage"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/policy"
)

// formView is what the pages with the form show.
type formView struct {
	Form     form
	Policies []records.Policy
	Refusal  *page.Problem // what belongs to none of the fields
	Raced    bool          // somebody else changed the endpoint meanwhile
	Subject  *records.Endpoint
}

func showNew(r *page.Request) error {
	return showNewForm(r, form{Tenant: r.Query("tenant")}, nil)
}

func showNewForm(r *page.Request, f form, refused *page.Problem) error {
	policies, err := policiesFor(r)
	if err != nil {
		return err
	}
	view := formView{Form: f, Policies: policies}
	status := http.StatusOK
	if refused != nil {
		faults, rest := f.faultsOf(r.Context(), refused)
		view.Form.Faults, status = faults, refused.Status
		if rest {
			view.Refusal = refused
		}
	} else if len(f.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return r.Show(page.Content{Title: newText.In(r.Context()), Status: status, Body: newPage(view)})
}

func policiesFor(r *page.Request) ([]records.Policy, error) {
	found, err := page.Get[page.List[records.Policy]](r, page.API("policies"), nil)
	return found.Data, err
}

func create(r *page.Request) error {
	f := formOf(r)
	body, faults := f.creation(r.Context())
	if len(faults) > 0 {
		f.Faults = faults
		return showNewForm(r, f, nil)
	}
	made, err := page.Send[records.Endpoint](r, http.MethodPost, page.API("webhook_endpoints"), body)
	if problem, refused := refusalOf(err); refused {
		return showNewForm(r, f, problem)
	}
	if err != nil {
		return err
	}
	return showSecretOnce(r, issued{Endpoint: made, Secret: made.Secret, New: true})
}

// issued is a secret that is shown, this once.
type issued struct {
	Endpoint records.Endpoint
	Secret   string // "": it was shown before: this is the same request again
	New      bool   // the endpoint is new, too
	Until    time.Time
	Programs []contractpage.Program // that verify
}

// showSecretOnce answers with the page itself: a redirect would have to keep the
// secret somewhere.
func showSecretOnce(r *page.Request, view issued) error {
	contract, err := contractOf(r, view.Endpoint.Policy)
	if err != nil {
		return err
	}
	if contract != nil {
		if view.Programs, err = contractpage.Programs(contract); err != nil {
			return err
		}
	}
	return r.Show(page.Content{Title: secretOnceTitle.In(r.Context()), Status: http.StatusCreated, Body: issuedPage(view)})
}

// contractOf is the policy itself; nil: this version cannot read it.
func contractOf(r *page.Request, name string) (*policy.Policy, error) {
	found, err := page.Get[records.Policy](r, page.API("policies", name), nil)
	if err != nil {
		return nil, err
	}
	contract, _ := policy.Parse([]byte(found.YAML))
	return contract, nil
}
