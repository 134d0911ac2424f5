package endpoints

import (
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

func showSettings(r *page.Request) error {
	present, err := endpointOf(r)
	if err != nil {
		return err
	}
	return showSettingsForm(r, present, formView{Form: formFor(present)})
}

func showSettingsForm(r *page.Request, present records.Endpoint, view formView) error {
	var err error
	if view.Policies, err = policiesFor(r); err != nil {
		return err
	}
	view.Subject = &present
	status := http.StatusOK
	if view.Raced || view.Refusal != nil || len(view.Form.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return r.Show(page.Content{Title: settingsText.In(r.Context()) + " · " + present.URL, Status: status, Body: settingsPage(view)})
}

func change(r *page.Request) error {
	present, err := endpointOf(r)
	if err != nil {
		return err
	}
	f := formOf(r)
	f.Tenant = present.Tenant
	if f.Seen != formFor(present).Seen {
		// What the form shows may undo what somebody else did since: it is compared
		// with the present, so a second look and a second press are needed.
		f.Seen = formFor(present).Seen
		return showSettingsForm(r, present, formView{Form: f, Raced: true})
	}
	body, faults := f.changes(r.Context(), present)
	if len(faults) > 0 {
		f.Faults = faults
		return showSettingsForm(r, present, formView{Form: f})
	}
	if len(body) == 0 {
		r.Tell(page.Done, unchangedText)
		return r.Redirect(path(present.ID, string(settingsTab)))
	}
	_, err = page.Send[records.Endpoint](r, http.MethodPatch, api(present.ID), body)
	if problem, refused := refusalOf(err); refused {
		view := formView{Form: f}
		var rest bool
		if view.Form.Faults, rest = f.faultsOf(r.Context(), problem); rest {
			view.Refusal = problem
		}
		return showSettingsForm(r, present, view)
	}
	if err != nil {
		return err
	}
	r.Tell(page.Done, savedText)
	return r.Redirect(path(present.ID))
}

// endpointOf is the endpoint that the address names.
func endpointOf(r *page.Request) (records.Endpoint, error) {
	id, err := idOf(r)
	if err != nil {
		return records.Endpoint{}, err
	}
	return page.Get[records.Endpoint](r, api(id), nil)
}
