package sources

import (
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// The roles of secrets, as the form offers them.
const (
	roleAny       = "any"
	roleSignature = "signature"
	roleHandshake = "handshake"
	roleRepair    = "repair"
)

// keepAll, as the overlap of a new secret, lets the older ones stay.
const keepAll = "keep"

// overlaps are how long older secrets go on being taken beside a new one.
var overlaps = []string{keepAll, "24h", "72h", "168h", "0s"}

// addSecret adds one beside the others, or rotates: then the older ones of the same
// role expire.
func addSecret(r *page.Request) error {
	id, name := r.PathValue("id"), r.Field("name")
	asked := secretForm{Name: name, Role: r.Field("role"), Overlap: r.Field("overlap")}
	apiPath, body, done := page.API("sources", id, "secrets"), secretRequest(name, asked.Role, r.PostForm.Get("secret")), secretAdded
	if asked.Overlap != keepAll {
		apiPath, done = page.API("sources", id, "secrets", "rotate"), secretRotated
		body["overlap"] = asked.Overlap
	}
	_, err := page.Send[records.SourceSecret](r, http.MethodPost, apiPath, body)
	if problem, refused := page.IsRefusal(err); refused {
		return again(r, func(v *oneView) {
			asked.Refusal = problem
			v.Secret = asked
			page.From(r.Context()).Dialog = secretDialog
		}, problem.Status)
	}
	if err != nil {
		return err
	}
	r.Tell(page.Done, done)
	return r.Redirect(path(id))
}

// secretRequest leaves out what is left open. The value is sent exactly as it was
// pasted: what is wrong with it, the API says.
func secretRequest(name, role, value string) request {
	body := request{"value": value}
	if name != "" {
		body["name"] = name
	}
	if role != "" {
		body["role"] = role
	}
	return body
}

func revokeSecret(r *page.Request) error {
	id := r.PathValue("id")
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, page.API("sources", id, "secrets", r.PathValue("secret")), nil); err != nil {
		return err
	}
	r.Tell(page.Done, secretRevoked)
	return r.Redirect(path(id))
}

// again shows the source's page with what was wrong.
func again(r *page.Request, what func(*oneView), status int) error {
	view, err := viewOf(r)
	if err != nil {
		return err
	}
	what(view)
	return show(r, view, status)
}

// The dialogs.
const (
	secretDialog = "secret"
	pauseDialog  = "pause"
	deleteDialog = "delete"
)

// repair compares the provider's list with what came in: only counting, or bringing
// in what is missing.
func repair(r *page.Request) error {
	asked := repairForm{Since: page.Instant(r.Field("since")), Until: page.Instant(r.Field("until"))}
	body := request{"since": asked.Since, "dry_run": r.Field("do") != "start"}
	if asked.Until != "" {
		body["until"] = asked.Until
	}
	report, err := page.Send[records.GapReport](r, http.MethodPost, page.API("sources", r.PathValue("id"), "repair"), body)
	status := http.StatusOK
	problem, isProblem := page.AsProblem(err)
	switch {
	case isProblem && problem.Status != http.StatusNotFound && problem.Code != "internal" && problem.Code != "unavailable":
		asked.Refusal, status = problem, problem.Status // the provider's own failures among them
	case err != nil:
		return err
	default:
		asked.Report = &report
	}
	return again(r, func(v *oneView) { v.Repair = asked }, status)
}
