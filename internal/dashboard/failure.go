package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// unknown is the handler of all addresses that have none.
func unknown(*page.Request) error { return page.NotFound() }

// finish shows an error, if there is one.
func (d *dashboard) finish(v *visit, err error) {
	if err == nil {
		return
	}
	switch problem, refused := page.IsRefusal(err); {
	case errors.Is(err, errLogIn):
		d.askToLogIn(v)
		return
	case refused && v.Method == http.MethodPost && !isPartial(v.Request.Request):
		// An action without a page of its own: the page that it came from tells.
		v.Say(page.Failed, explained(v.Context(), problem))
		_ = v.Redirect(refererPath(v.Request.Request)) // it cannot fail
		return
	}
	failure := d.failureOf(v, err)
	if failed := v.Show(page.Content{
		Title: failure.title.In(v.Context()), Status: failure.status, Bare: !v.loggedIn(), Body: failurePage(failure),
	}); failed != nil {
		d.Log.ErrorContext(v.Context(), "an error could not be shown", "error", failed)
		http.Error(v.Writer, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// explained is a problem with the faults that it consists of.
func explained(ctx context.Context, p *page.Problem) string {
	text := ui.Explain(ctx, p)
	for _, fault := range p.Errors {
		text += " " + fault.Field + ": " + fault.Detail + "."
	}
	return text
}

// askToLogIn leads to the log-in, and from there back here.
func (d *dashboard) askToLogIn(v *visit) {
	if v.cookies.framed {
		d.finish(v, d.showPortalOver(v, http.StatusUnauthorized))
		return
	}
	target := "/login"
	if here := v.here(); here != "/" {
		target += "?" + url.Values{"next": {here}}.Encode()
	}
	if isPartial(v.Request.Request) {
		v.Writer.Header().Set("HX-Redirect", target)
		v.Writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	_ = v.Redirect(target) // it cannot fail
}

func (v *visit) here() string { return page.From(v.Context()).Here }

// failure is an error as a page says it.
type failure struct {
	status    int
	title     lang.Text
	advice    lang.Text
	detail    string // in the API's words
	requestID string // for the log
}

// failureOf says what an error is; one that nobody foresaw is logged.
func (d *dashboard) failureOf(v *visit, err error) failure {
	if errors.Is(err, errRole) {
		return failure{status: http.StatusForbidden, title: forbiddenTitle, advice: roleAdvice}
	}
	if errors.Is(err, errForm) {
		return failure{status: http.StatusForbidden, title: formTitle, advice: formAdvice}
	}
	if problem, ok := page.AsProblem(err); ok && problem.Status < http.StatusInternalServerError || ok && problem.RequestID != "" {
		return failureOfProblem(problem)
	}
	if problem, ok := page.AsProblem(err); ok && problem.Status == http.StatusServiceUnavailable {
		return failureOfProblem(problem)
	}
	f := failure{status: http.StatusInternalServerError, title: internalTitle, advice: internalAdvice, requestID: "req_" + rand.Text()}
	d.Log.LogAttrs(v.Context(), slog.LevelError, "a page failed",
		slog.String("request_id", f.requestID), slog.String("page", pageOf(v.Request.Request)), slog.Any("error", err))
	return f
}

func failureOfProblem(p *page.Problem) failure {
	f := failure{status: p.Status, detail: p.Detail, requestID: p.RequestID}
	switch {
	case p.Status == http.StatusNotFound:
		f.title, f.advice, f.detail = missingTitle, missingAdvice, ""
	case p.Status == http.StatusForbidden:
		f.title, f.advice = forbiddenTitle, roleAdvice
	case p.Status == http.StatusServiceUnavailable:
		f.title, f.advice, f.detail = unavailableTitle, unavailableAdvice, ""
	case p.Status < http.StatusInternalServerError:
		f.title, f.advice = refusedTitle, refusedAdvice
	default:
		f.title, f.advice = internalTitle, internalAdvice
	}
	return f
}

// pageOf names the page in the log. Links that let somebody in are not for it.
func pageOf(r *http.Request) string {
	if strings.Contains(r.Pattern, "{token}") {
		return r.Pattern
	}
	return r.Method + " " + r.URL.Path
}

// survive turns a panic into a page, and a line in the log.
func (d *dashboard) survive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.protect(w, false) // also what the mux itself answers
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause == http.ErrAbortHandler { //nolint:errorlint // the very value, as net/http compares it
				panic(cause)
			}
			id := "req_" + rand.Text()
			d.Log.LogAttrs(r.Context(), slog.LevelError, "a page failed", slog.String("request_id", id),
				slog.String("page", pageOf(r)), slog.String("error", fmt.Sprint("panic: ", cause)))
			d.Log.LogAttrs(r.Context(), slog.LevelDebug, "stack of the panic",
				slog.String("request_id", id), slog.String("stack", string(debug.Stack())))
			http.Error(w, http.StatusText(http.StatusInternalServerError)+": "+id, http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}
