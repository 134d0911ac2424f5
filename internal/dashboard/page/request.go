package page

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/malotehq/malote/internal/dashboard/lang"
)

// Request is a visitor's request on its way through a handler. Its context is
// what templates are drawn in.
type Request struct {
	*http.Request
	Writer  http.ResponseWriter
	Visitor Visitor

	backend  Backend
	frame    Frame
	announce func(http.ResponseWriter, Notice)
	ending   <-chan struct{}
}

// Frame draws the page around a content.
type Frame func(Content) templ.Component

// Shell is what the shell lends to every request.
type Shell struct {
	Backend  Backend
	Frame    Frame
	Announce func(http.ResponseWriter, Notice) // keeps a notice for the next page
	Ending   <-chan struct{}                   // closed when streams must end
}

// NewRequest is the shell's way to make one; r's context has a View.
func NewRequest(w http.ResponseWriter, r *http.Request, shell Shell) *Request {
	return &Request{
		Request: r, Writer: w, Visitor: From(r.Context()).Visitor,
		backend: shell.Backend, frame: shell.Frame, announce: shell.Announce, ending: shell.Ending,
	}
}

// Content is what a page shows inside of its frame.
type Content struct {
	Title  string // without markup; also the browser's
	Body   templ.Component
	Status int  // 0: 200
	Bare   bool // without navigation: for who is not logged in
}

// Show answers with a page.
func (r *Request) Show(content Content) error {
	if content.Status == 0 {
		content.Status = http.StatusOK
	}
	return r.write(content.Status, r.frame(content))
}

// ShowPart answers with a part of a page, for scripts that put it into one.
func (r *Request) ShowPart(part templ.Component) error { return r.write(http.StatusOK, part) }

// write draws everything before anything is sent: what fails is not half a page.
func (r *Request) write(status int, component templ.Component) error {
	var page bytes.Buffer
	if err := component.Render(r.Context(), &page); err != nil {
		return fmt.Errorf("drawing %s: %w", r.URL.Path, err)
	}
	header := r.Writer.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(page.Len()))
	r.Writer.WriteHeader(status)
	_, _ = r.Writer.Write(page.Bytes()) // the visitor may have gone
	return nil
}

// Draw renders a component to text, for streams.
func Draw(ctx context.Context, component templ.Component) (string, error) {
	var b strings.Builder
	err := component.Render(ctx, &b)
	return b.String(), err
}

// Redirect leads to another of our pages after something was done.
func (r *Request) Redirect(path string) error {
	http.Redirect(r.Writer, r.Request, LocalPath(path), http.StatusSeeOther)
	return nil
}

// Tell keeps a notice for the page that comes next.
func (r *Request) Tell(kind NoticeKind, text lang.Text, args ...any) {
	r.announce(r.Writer, Notice{Kind: kind, Text: text.In(r.Context(), args...)})
}

// Say is Tell for a text that is in the visitor's language already.
func (r *Request) Say(kind NoticeKind, text string) {
	r.announce(r.Writer, Notice{Kind: kind, Text: text})
}

// Ending is closed when streams must end.
func (r *Request) Ending() <-chan struct{} { return r.ending }

// OnceField is the form's field with a key of its own: sent twice by a double
// click, it still is one request to the API.
const OnceField = "_once"

// Once is the form's idempotency key, "" if it has none.
func (r *Request) Once() string {
	if r.PostForm == nil {
		return ""
	}
	key := r.PostForm.Get(OnceField)
	if len(key) != len(rand.Text()) || strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return "dashboard:" + key
}

// Field is a form's, without white space around it.
func (r *Request) Field(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }

// Query is the value of one of the address's parameters.
func (r *Request) Query(name string) string { return strings.TrimSpace(r.URL.Query().Get(name)) }

// LocalPath is where a redirect may go: a path of ours, or else the first page.
func LocalPath(path string) string {
	target, err := url.Parse(path)
	if err != nil || target.IsAbs() || target.Host != "" || target.User != nil || target.Opaque != "" ||
		!strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t\x00") ||
		strings.HasPrefix(target.Path, "//") || strings.HasPrefix(target.Path, "/\\") {
		return "/"
	}
	return path
}

// Attachment is the Content-Disposition of a file with a name.
func Attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// NewOnce makes a key for OnceField.
func NewOnce() string { return rand.Text() }
