package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" { // started by a test, as malote bench starts itself
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	// The tests say what the flags are, not whoever runs them.
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name == "DATABASE_URL" || strings.HasPrefix(name, "MALOTE_") && !strings.HasPrefix(name, "MALOTE_TEST_") {
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(pgtest.Main(m))
}

// result is what a command came to.
type result struct {
	code           int
	stdout, stderr string
}

// malote runs the program with nothing on its standard input.
func malote(t testing.TB, arguments ...string) result {
	t.Helper()
	return maloteReading(t, "", arguments...)
}

func maloteReading(t testing.TB, stdin string, arguments ...string) result {
	t.Helper()
	var stdout, stderr output
	parser := parsers.Get().(*kong.Kong)
	defer func() {
		forget(parser.Model.Node)
		parsers.Put(parser)
	}()
	env := &environment{ctx: t.Context(), stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr}
	return result{env.run(parser, arguments), stdout.String(), stderr.String()}
}

// parsers are used again, because to make one takes a while. They know no
// malote.yaml.
var parsers = sync.Pool{New: func() any {
	parser, err := newParser()
	if err != nil {
		panic(err)
	}
	return parser
}}

// forget has the parser not take for given what was given the last time.
func forget(node *kong.Node) {
	for _, flag := range node.Flags {
		flag.Set = false
	}
	for _, value := range node.Positional {
		value.Set = false
	}
	for _, child := range node.Children {
		forget(child)
	}
}

// succeeds runs the program, which must exit with 0, and gives what it printed.
func succeeds(t testing.TB, arguments ...string) string {
	t.Helper()
	got := malote(t, arguments...)
	require.Zero(t, got.code, "%q: %s", arguments, got.stderr)
	return got.stdout
}

// fails checks that it failed with the code and one line of error, and gives that.
func (r result) fails(t testing.TB, code int) string {
	t.Helper()
	require.Equal(t, code, r.code, r.stderr)
	require.Regexp(t, `^malote: [^\n]+\n$`, r.stderr)
	return r.stderr
}

// output may be written and read at once.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// background is a command that runs until it is stopped.
type background struct {
	stdout, stderr output
	stop           context.CancelFunc
	done           chan int
}

// inBackground runs the program until the test ends or stop is called.
func inBackground(t testing.TB, arguments ...string) *background {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{stop: cancel, done: make(chan int, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.done <- runIn(&environment{ctx: ctx, stdin: strings.NewReader(""), stdout: &b.stdout, stderr: &b.stderr}, arguments)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return b
}

// seen is a request that a fake server got.
type seen struct {
	method, path, query, body string
	header                    http.Header
}

// fake is a server that answers as it is told.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []seen
}

func newFake(t testing.TB, respond func(n int, w http.ResponseWriter, r *http.Request)) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.requests = append(f.requests, seen{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header})
		n := len(f.requests)
		f.mu.Unlock()
		respond(n, w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// answering makes a fake that always gives the same JSON.
func answering(t testing.TB, status int, body string) *fake {
	t.Helper()
	return newFake(t, func(_ int, w http.ResponseWriter, _ *http.Request) { answerJSON(w, status, body) })
}

func answerJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	if status >= 400 {
		w.Header().Set("Content-Type", "application/problem+json")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (f *fake) seen() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]seen(nil), f.requests...)
}

// with adds the flags that lead to the fake.
func (f *fake) with(arguments ...string) []string {
	return append(arguments, "--server", f.URL, "--api-key", "mlt_test")
}

func problemJSON(code, detail string) string {
	return string(encoded(map[string]string{"code": code, "detail": detail}))
}

// file writes a file for the test.
func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// field takes one member out of a JSON object.
func field[T any](t testing.TB, object, name string) T {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(object), &members), object)
	var value T
	require.NoError(t, json.Unmarshal(members[name], &value), "%s in %s", name, object)
	return value
}

func splitLines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
