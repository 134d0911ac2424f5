package sources

import (
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// formView is a source being made or changed.
type formView struct {
	ID        string // "": it is new
	Provider  records.Provider
	Providers []records.Provider // to choose from, while none is chosen
	Groups    []group
	Values    map[string]string
	Refusal   *page.Problem
}

func (v formView) action() string {
	if v.ID == "" {
		return page.Link(root+"/new", "provider", v.Provider.Name)
	}
	return path(v.ID) + "/edit"
}

func showNew(r *page.Request) error {
	view, err := newView(r)
	if err != nil {
		return err
	}
	view.Values = map[string]string{"tenant": r.Query("tenant"), "name": view.Provider.Title}
	return showForm(r, view)
}

// newView is the form of the provider that the address names, or the providers.
func newView(r *page.Request) (*formView, error) {
	providers, err := providersOf(r)
	if err != nil {
		return nil, err
	}
	chosen, known := providerNamed(providers, r.Query("provider"))
	if !known {
		return &formView{Providers: providers}, nil
	}
	return &formView{Provider: chosen, Groups: groupsFor(chosen.Name, chosen.GapRepair)}, nil
}

func showForm(r *page.Request, view *formView) error {
	content := page.Content{Title: newText.In(r.Context()), Body: formPage(*view)}
	if view.ID != "" {
		content.Title = editText.In(r.Context()) + ": " + view.Values["name"]
	}
	if view.Refusal != nil {
		content.Status = view.Refusal.Status
	}
	return r.Show(content)
}

func create(r *page.Request) error {
	view, err := newView(r)
	if err != nil || view.Provider.Name == "" {
		return err
	}
	body := request{"provider": view.Provider.Name, "tenant": r.Field("tenant")}
	faults := body.fill(append(fieldsOf(view.Groups), aboutFields...), r.Field)
	if secret := r.PostForm.Get("secret"); secret != "" {
		body["secrets"] = []request{secretRequest("", "", secret)}
	}
	if view.Refusal = noNumbers(r, faults); view.Refusal == nil {
		var made records.Source
		made, err = page.Send[records.Source](r, http.MethodPost, page.API("sources"), body)
		if err == nil {
			r.Tell(page.Done, createdText)
			return r.Redirect(path(made.ID))
		}
		var refused bool
		if view.Refusal, refused = refusedFilter(err); !refused {
			return err
		}
	}
	view.Values = posted(r)
	return showForm(r, view)
}

func showEdit(r *page.Request) error {
	view, present, err := editView(r)
	if err != nil {
		return err
	}
	view.Values = valuesOf(present, view.Groups)
	return showForm(r, view)
}

func editView(r *page.Request) (*formView, records.Source, error) {
	id := r.PathValue("id")
	present, err := page.Get[records.Source](r, page.API("sources", id), nil)
	if err != nil {
		return nil, present, err
	}
	providers, err := providersOf(r)
	if err != nil {
		return nil, present, err
	}
	chosen, _ := providerNamed(providers, present.Provider)
	return &formView{ID: id, Provider: chosen, Groups: groupsFor(chosen.Name, chosen.GapRepair)}, present, nil
}

func edit(r *page.Request) error {
	view, _, err := editView(r)
	if err != nil {
		return err
	}
	settings := fieldsOf(view.Groups)
	body := request{"description": r.Field("description")}
	faults := body.fill(append(settings, aboutFields[0]), r.Field)
	body.reset(settings)
	if view.Refusal = noNumbers(r, faults); view.Refusal == nil {
		_, err = page.Send[records.Source](r, http.MethodPatch, page.API("sources", view.ID), body)
		if err == nil {
			r.Tell(page.Done, savedText)
			return r.Redirect(path(view.ID))
		}
		var refused bool
		if view.Refusal, refused = page.IsRefusal(err); !refused {
			return err
		}
	}
	view.Values = posted(r)
	return showForm(r, view)
}
