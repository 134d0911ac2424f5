package walk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// tab is one of the browser's, in a context of its own: nothing of what one test
// does is seen by another.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string // the origin that pages are of
	*watch
}

// watch is what a tab's pages did that no page should do.
type watch struct {
	mu      sync.Mutex
	faults  []string
	allowed []string
}

// newTab opens one. When the test ends, whatever the pages complained about or
// should not have done fails it.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	parent, err := chromium()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base, watch: &watch{}}
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	b.size(1280, 900)
	t.Cleanup(b.requireNoFaults)
	return b
}

// on speaks for a subtest.
func (b *tab) on(t *testing.T) *tab { return &tab{t: t, ctx: b.ctx, base: b.base, watch: b.watch} }

// hear notes what no page should do. It runs where the browser's messages are
// read, and must not wait for one.
func (b *tab) hear(event any) {
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		text := event.ExceptionDetails.Text
		if thrown := event.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		b.fault("exception: %s", text)
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			var words []string
			for _, argument := range event.Args {
				words = append(words, string(argument.Value)+argument.Description)
			}
			b.fault("console: %s", strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if event.Entry.Level == log.EntryLevelError || event.Entry.Level == log.EntryLevelWarning {
			b.fault("log: %s: %s (%s)", event.Entry.Source, event.Entry.Text, event.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.fault("dialog: %s", event.Message)
		go func() { // or the page would stand still
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}()
	case *network.EventRequestWillBeSent:
		b.heed(event.Request.URL)
	}
}

// heed notes a request that leaves the own origin.
func (b *tab) heed(address string) {
	if strings.HasPrefix(address, b.base+"/") || strings.HasPrefix(address, "data:") || address == "about:blank" {
		return
	}
	b.fault("asks another origin: %s", address)
}

func (w *watch) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// allow says which faults a test makes itself: those that contain a text.
func (w *watch) allow(texts ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, texts...)
}

// found gives the faults so far, and forgets them.
func (w *watch) found() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.DeleteFunc(w.faults, func(fault string) bool {
		return slices.ContainsFunc(w.allowed, func(text string) bool { return strings.Contains(fault, text) })
	})
	w.faults = nil
	return list
}

func (b *tab) requireNoFaults() { require.Empty(b.t, b.found(), "what pages should not have done") }

// do runs steps, within the time that a test has patience for.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, steps...), "at %s", b.where())
}

// open goes to an address, and gives the status of what came.
func (b *tab) open(path string) int {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.base + path
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	response, err := chromedp.Run(ctx, chromedp.NavigateResponse(path))
	require.NoError(b.t, err, path)
	require.NotNil(b.t, response, path)
	return int(response.Status)
}

// leads runs steps that lead to another page, waits for it, and gives its status.
func (b *tab) leads(steps ...chromedp.Action[chromedp.Void]) int {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	response, err := chromedp.RunResponse(ctx, steps...)
	require.NoError(b.t, err, "at %s", b.where())
	require.NotNil(b.t, response, "at %s", b.where())
	return int(response.Status)
}

// follow clicks on what leads to another page.
func (b *tab) follow(selector string) int {
	b.t.Helper()
	b.requireOne(selector)
	return b.leads(chromedp.Click(chromedp.CSS(selector)))
}

// click clicks on what changes the page.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.requireOne(selector)
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// fill types into an empty field.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.requireOne(selector)
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// press sends keys to whatever has the focus.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key))
	}
}

// pressEnter is a step, for what it leads to.
func pressEnter() chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(kb.Enter) }

// requireOne says what is missing at once, where chromedp would wait for it.
func (b *tab) requireOne(selector string) {
	b.t.Helper()
	b.await(fmt.Sprintf("document.querySelector(%q) !== null", selector))
}

// await waits until an expression is true on the page, whichever that is by then.
func (b *tab) await(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		// An error is a page that is going, and has no answer any more.
		if is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression)); err == nil && is {
			return
		}
		select {
		case <-ctx.Done():
			require.Fail(b.t, "never true: "+expression, "at %s, which says: %s", b.where(), b.words())
		case <-ticker.C:
		}
	}
}

// eval is the value of an expression on the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return value
}

// text is that of the first element, as it is shown.
func (b *tab) text(selector string) string {
	b.t.Helper()
	b.requireOne(selector)
	return strings.Join(strings.Fields(eval[string](b, fmt.Sprintf("document.querySelector(%q).innerText", selector))), " ")
}

func (b *tab) count(selector string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// path is where the tab is, without the origin.
func (b *tab) path() string {
	parsed, err := url.Parse(b.where())
	if err != nil {
		return b.where()
	}
	return parsed.RequestURI()
}

func (b *tab) where() string {
	where, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.href"))
	if err != nil {
		return err.Error()
	}
	return where
}

// words are those of the page, for a failure's message.
func (b *tab) words() string {
	words, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText.slice(0, 2000)"))
	if err != nil {
		return err.Error()
	}
	return words
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *tab) dark(is bool) {
	b.t.Helper()
	scheme := "light"
	if is {
		scheme = "dark"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(b.t, err)
}

// withoutScripts turns them off, as some people and some proxies do.
func (b *tab) withoutScripts() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(b.t, err)
}

// be takes over a session that was opened elsewhere.
func (b *tab) be(cookies []*http.Cookie) {
	b.t.Helper()
	for _, cookie := range cookies {
		_, err := chromedp.Call(b.ctx, network.SetCookie, network.SetCookieParams{
			Name: cookie.Name, Value: cookie.Value, URL: b.base, HTTPOnly: &cookie.HttpOnly,
		})
		require.NoError(b.t, err)
	}
}

// quoted is a text as a script has it.
func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// choose takes one of a list's values, as somebody does.
func choose(selector, value string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(e => { e.value = %s; e.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector(%s))`, quoted(value), quoted(selector)))
}

// queryOf is a query of names and values.
func queryOf(parameters ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	return query.Encode()
}

// framesShown are the addresses of what frames show.
func (b *tab) framesShown() (addresses []string) {
	b.t.Helper()
	tree, err := chromedp.Call(b.ctx, page.GetFrameTree, cdp.Empty{})
	require.NoError(b.t, err)
	for _, child := range tree.FrameTree.ChildFrames {
		addresses = append(addresses, child.Frame.URL)
	}
	return addresses
}
