package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// huma keeps these as variables of its package, so they are set once, before
// any API exists: every error that huma makes itself has our form, member names
// are told apart by case as JSON does, and lists are never null.
func init() {
	huma.NewError = func(status int, _ string, errs ...error) huma.StatusError {
		return problemFromHuma(status, errs)
	}
	huma.NewErrorWithContext = func(_ huma.Context, status int, _ string, errs ...error) huma.StatusError {
		return problemFromHuma(status, errs)
	}
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	rewordValidation()
}

// rewordValidation makes huma's messages say what to do. They complete a
// sentence that begins with the member's name.
func rewordValidation() {
	validation.MsgUnexpectedProperty = "is not known here: correct its name or leave it out"
	validation.MsgExpectedRequiredProperty = "must have the member %s"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedInteger = "must be an integer"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedObject = "must be a JSON object"
	validation.MsgExpectedOneOf = `must be one of "%s"`
	validation.MsgExpectedMatchExactlyOneSchema = "has none of the forms that it may have"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must have at least %d items"
	validation.MsgExpectedMaxItems = "must have at most %d items"
	validation.MsgExpectedArrayItemsUnique = "must not hold anything twice"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedRFC3339DateTime = "must be an instant such as 2026-03-01T12:00:00Z (RFC 3339)"
}

func problemFromHuma(status int, errs []error) *Problem {
	switch status {
	case http.StatusUnprocessableEntity:
		return problemFromFaults(faultsOf(errs))
	case http.StatusBadRequest:
		if faults := faultsOf(errs); len(faults) > 0 {
			return problem(InvalidJSON, "The body is not valid JSON: %s.", faults[0].Detail)
		}
		return problem(InvalidJSON, "")
	case http.StatusUnsupportedMediaType:
		return problem(UnsupportedMediaType, "")
	case 0: // at registration, for the type alone
		return &Problem{}
	default:
		return problem(Internal, "")
	}
}

func problemFromFaults(faults []Fault) *Problem {
	sentences := make([]string, len(faults))
	for i, f := range faults {
		sentences[i] = f.Field + ": " + f.Detail
	}
	p := problem(InvalidRequest, "%s.", strings.Join(sentences, "; "))
	p.Errors = faults
	return p
}

// faultsOf drops the values that huma shows beside its messages: they may be
// secrets.
func faultsOf(errs []error) []Fault {
	var faults []Fault
	for _, err := range errs {
		var detailer huma.ErrorDetailer
		if !errors.As(err, &detailer) {
			faults = append(faults, Fault{Field: "request", Detail: err.Error()})
			continue
		}
		detail := detailer.ErrorDetail()
		faults = append(faults, Fault{Field: fieldAt(detail.Location), Detail: detail.Message})
	}
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(faults)
}

// fieldAt turns a location such as body.alert_emails[1] or query.limit into the
// name that the client used.
func fieldAt(location string) string {
	for _, place := range []string{"body.", "query.", "path.", "header."} {
		if name, found := strings.CutPrefix(location, place); found {
			return name
		}
	}
	return cmp.Or(location, "request")
}
