package policies

import (
	"errors"
	"net/http"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/policy"
)

// newView is a policy being written.
type newView struct {
	YAML    string
	Fault   *policy.ParseError // nil: nothing was found wrong
	Checked *summary           // what it would mean; nil: it was not asked for, or it is wrong
	Picture *picture
	Refusal *page.Problem // of the API
}

// example is what a new policy begins with. It makes sense as it is.
const example = `name: my-policy
description: Say in a sentence what receivers can count on.
deadline: 10s
schedule:
  kind: table
  waits: [30s, 5m, 1h, 6h, 24h]
  then: end
`

func showNew(r *page.Request) error {
	view := newView{YAML: example}
	if from := r.Query("from"); from != "" {
		found, err := page.Get[records.Policy](r, page.API("policies", from), nil)
		if err != nil {
			return err
		}
		view.YAML = found.YAML
	}
	return showForm(r, view)
}

func showForm(r *page.Request, view newView) error {
	content := page.Content{Title: newText.In(r.Context()), Body: newPage(view)}
	switch {
	case view.Refusal != nil:
		content.Status = view.Refusal.Status
	case view.Fault != nil:
		content.Status = http.StatusUnprocessableEntity
	}
	return r.Show(content)
}

// publish checks what somebody wrote, and publishes it if that was the button.
func publish(r *page.Request) error {
	view := newView{YAML: yamlIn(r.PostForm.Get("yaml"))}
	parsed, err := policy.Parse([]byte(view.YAML))
	if wrong, ok := errors.AsType[*policy.ParseError](err); ok {
		view.Fault = wrong
		return showForm(r, view)
	}
	if err != nil {
		return err
	}
	if r.Field("do") == "check" {
		meant := summarise(records.Policy{Name: parsed.Name, Description: parsed.Description, YAML: view.YAML})
		view.Checked, view.Picture = &meant, pictureOf(r.Context(), meant.Table)
		return showForm(r, view)
	}
	made, err := page.Send[records.Policy](r, http.MethodPost, page.API("policies"), map[string]string{"yaml": view.YAML})
	if problem, refused := page.IsRefusal(err); refused {
		view.Refusal = problem
		return showForm(r, view)
	}
	if err != nil {
		return err
	}
	r.Tell(page.Done, publishedText)
	return r.Redirect(path(made.Name))
}

// yamlIn is the text as it was written: forms send line ends of their own.
func yamlIn(field string) string { return strings.ReplaceAll(field, "\r\n", "\n") }
