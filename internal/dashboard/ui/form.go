package ui

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/malotehq/malote/internal/dashboard/page"
)

func (in Input) kind() string { return cmp.Or(in.Type, "text") }

// attributes are those that fields of one line and of several have alike.
func (in Input) attributes() templ.Attributes {
	maxLen := in.MaxLen
	if maxLen == 0 {
		maxLen = 1000
	}
	all := templ.Attributes{
		"autocomplete": cmp.Or(in.Complete, "off"), "maxlength": strconv.Itoa(maxLen),
		"required": in.Required, "autofocus": in.Focus,
	}
	if in.Place != "" {
		all["placeholder"] = in.Place
	}
	if in.MinLen > 0 {
		all["minlength"] = strconv.Itoa(in.MinLen)
	}
	described := ""
	if !in.Help.IsZero() {
		described = "h-" + in.Name
	}
	if in.Fault != "" {
		described += " e-" + in.Name
		all["aria-invalid"] = "true"
	}
	if described != "" {
		all["aria-describedby"] = described
	}
	return all
}

// FaultOf is what the API found wrong with a field, "" if nothing.
func FaultOf(p *page.Problem, field string) string {
	if p == nil {
		return ""
	}
	for _, fault := range p.Errors {
		if fault.Field == field {
			return fault.Detail
		}
	}
	return ""
}

// Explain says what a problem is, in the visitor's language where there are words
// for it.
func Explain(ctx context.Context, p *page.Problem) string {
	if _, known := ProblemWords[p.Code]; known {
		return ProblemWords.In(ctx, p.Code)
	}
	return p.Detail
}

// dialogParameter of a page's address names the dialog that is open.
const dialogParameter = "dialog"

// withDialog is this page's address with a dialog open, "" for none.
func withDialog(ctx context.Context, id string) string {
	here, err := url.Parse(page.From(ctx).Here)
	if err != nil {
		return "/"
	}
	query := here.Query()
	query.Del(dialogParameter)
	if id != "" {
		query.Set(dialogParameter, id)
	}
	here.RawQuery = query.Encode()
	return here.String()
}

// fieldTime is an instant as a field for a day and time has it.
func fieldTime(instant string) string {
	at, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04")
}
