package contractpage

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

// samplePolicies have each scheme, once under the usual names and once under
// some that a careless sample would trip over.
var samplePolicies = map[string]string{
	"standard": "",
	"hex":      "signature: {scheme: timestamp-hex}\nheaders: {id: \"It's-`id`\", timestamp: \"a$HOME|~t\", signature: \"S%s'^*\"}\n",
}

// request is one case for a sample; the field names are those of the drivers.
type request struct {
	Headers map[string]string // names in lower case
	Body    []byte
	Secrets []string
	genuine bool
	about   string
}

// samplesOf cuts the samples out of a page, as a reader would.
func samplesOf(t *testing.T, p *policy.Policy) map[string]string {
	t.Helper()
	page := rendered(t, p, Options{Language: Persian}) // the programs are the same in every language
	samples := map[string]string{}
	for _, program := range programs {
		heading := locales[Persian].texts()["sample."+program.name]
		_, after, found := strings.Cut(page, "\n### "+heading[0].span.Text+"\n")
		if !found {
			_, after, found = strings.Cut(page, "\n### "+rightToLeftMark+heading[0].span.Text+"\n")
		}
		require.True(t, found, program.name)
		_, after, found = strings.Cut(after, "```"+program.language+"\n")
		require.True(t, found, program.name)
		text, _, found := strings.Cut(after, "\n```\n")
		require.True(t, found, program.name)
		samples[program.name] = text + "\n"
	}
	return samples
}

func driver(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "drivers", name+".txt"))
	require.NoError(t, err)
	return string(text)
}

// requests are signed by the package that signs in earnest.
func requests(t *testing.T, p *policy.Policy) []request {
	t.Helper()
	current, previous, other := webhook.GenerateSecret(), webhook.GenerateSecret(), webhook.GenerateSecret()
	body := []byte("{\"a\": 1.0,\r\n\t\"b\": \"\xff\u00e9 %s 'q' $x\"}\n")
	now := time.Now()
	signed := func(at time.Time, by ...webhook.Secret) request {
		value, err := webhook.Sign("evt_1", at, body, by...)
		if p.Signature.Scheme == policy.TimestampHex {
			value, err = webhook.SignHex(at, body, by...)
		}
		require.NoError(t, err)
		return request{Body: body, Secrets: []string{current.Reveal()}, Headers: map[string]string{
			strings.ToLower(p.Headers.ID): "evt_1", strings.ToLower(p.Headers.Timestamp): fmt.Sprint(at.Unix()), strings.ToLower(p.Headers.Signature): value,
		}}
	}
	var all []request
	add := func(about string, genuine bool, r request, change func(*request)) {
		r.about, r.genuine = about, genuine
		if change != nil {
			change(&r)
		}
		all = append(all, r)
	}
	header := func(name, value string) func(*request) {
		return func(r *request) { r.Headers[strings.ToLower(name)] = value }
	}
	add("genuine", true, signed(now, current), nil)
	add("by both secrets of a rotation", true, signed(now, other, current), nil)
	add("known by the second secret", true, signed(now, previous), func(r *request) { r.Secrets = []string{current.Reveal(), previous.Reveal()} })
	add("two minutes old", true, signed(now.Add(-2*time.Minute), current), nil)
	add("two minutes early", true, signed(now.Add(2*time.Minute), current), nil)
	add("six minutes old", false, signed(now.Add(-6*time.Minute), current), nil)
	add("six minutes early", false, signed(now.Add(6*time.Minute), current), nil)
	add("by another secret", false, signed(now, other), nil)
	add("another body", false, signed(now, current), func(r *request) { r.Body = append([]byte(" "), r.Body...) })
	add("a body without its line's end", false, signed(now, current), func(r *request) { r.Body = bytes.TrimSuffix(r.Body, []byte("\n")) })
	add("another time", false, signed(now, current), header(p.Headers.Timestamp, fmt.Sprint(now.Unix()-1)))
	add("no number for a time", false, signed(now, current), header(p.Headers.Timestamp, "now"))
	add("no signature", false, signed(now, current), header(p.Headers.Signature, ""))
	add("a signature cut off", false, signed(now, current), func(r *request) {
		name := strings.ToLower(p.Headers.Signature)
		r.Headers[name] = r.Headers[name][:len(r.Headers[name])-6]
	})
	add("another version's signature", false, signed(now, current), func(r *request) {
		name := strings.ToLower(p.Headers.Signature)
		r.Headers[name] = "v2" + strings.TrimPrefix(r.Headers[name], "v1")
	})
	add("an empty secret, and a signature that everybody can make", false, signed(now, current), func(r *request) {
		r.Secrets = []string{""}
		r.Headers[strings.ToLower(p.Headers.Signature)] = withEmptyKey(p, r)
	})
	add("no secret", false, signed(now, current), func(r *request) { r.Secrets = []string{} })
	if p.Signature.Scheme == policy.StandardWebhooks {
		add("another id", false, signed(now, current), header(p.Headers.ID, "evt_2"))
	}
	return all
}

func withEmptyKey(p *policy.Policy, r *request) string {
	sum := hmac.New(sha256.New, nil)
	if p.Signature.Scheme == policy.TimestampHex {
		fmt.Fprintf(sum, "%s.%s", r.Headers[strings.ToLower(p.Headers.Timestamp)], r.Body)
		return "v1=" + hex.EncodeToString(sum.Sum(nil))
	}
	fmt.Fprintf(sum, "%s.%s.%s", r.Headers[strings.ToLower(p.Headers.ID)], r.Headers[strings.ToLower(p.Headers.Timestamp)], r.Body)
	return "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

func TestSamples_F16_Verify(t *testing.T) {
	t.Parallel()
	for name, source := range samplePolicies {
		p := custom(t, "name: sampled\ndeadline: 1s\nschedule: {kind: table, waits: [1m]}\n"+source)
		samples := samplesOf(t, p)
		for program, run := range map[string]func(*testing.T, string, string, []request) []bool{
			"go": runGo, "go-package": runGoPackage, "node": runNode, "python": runPython, "php": runPHP, "shell": runShell,
		} {
			t.Run(program+"/"+name, func(t *testing.T) {
				t.Parallel()
				cases := requests(t, p) // here, not before: others may run first, and the requests grow old
				verdicts := run(t, samples[program], driver(t, program), cases)
				require.Len(t, verdicts, len(cases))
				for i, c := range cases {
					require.Equal(t, c.genuine, verdicts[i], c.about)
				}
			})
		}
	}
}

// The example on the page is one that a reader can try out.
func TestExample_IsGenuine(t *testing.T) {
	t.Parallel()
	for _, p := range presets(t) {
		e := exampleOf(p)
		require.Contains(t, rendered(t, p, Options{}), e.text)
		require.Contains(t, e.text, string(e.body))
		secret, err := webhook.ParseSecret(exampleSecret)
		require.NoError(t, err)
		scheme := webhook.SchemeStandard
		if p.Signature.Scheme == policy.TimestampHex {
			scheme = webhook.SchemeHex
		}
		verifier, err := webhook.NewVerifier([]webhook.Secret{secret}, webhook.WithScheme(scheme),
			webhook.WithClock(func() time.Time { return exampleAccepted }))
		require.NoError(t, err)
		header := map[string][]string{webhook.HeaderID: {e.id}, webhook.HeaderTimestamp: {e.timestamp}, webhook.HeaderSignature: {e.signature}}
		_, err = verifier.Verify(header, e.body)
		require.NoError(t, err, p.Name)
		require.True(t, json.Valid(e.body))
	}
}

func TestTolerance_IsThatOfThePackage(t *testing.T) {
	t.Parallel()
	require.Equal(t, webhook.DefaultTolerance, tolerance)
}

// judged runs a program that reads the cases and writes its verdicts, in JSON.
func judged(t *testing.T, cases []request, command *exec.Cmd) []bool {
	t.Helper()
	input, err := json.Marshal(cases)
	require.NoError(t, err)
	var output, complaint bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &output, &complaint
	require.NoError(t, command.Run(), complaint.String())
	var verdicts []bool
	require.NoError(t, json.Unmarshal(output.Bytes(), &verdicts), output.String())
	return verdicts
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// found is the interpreter, or the test ends: not everybody who works on this
// has one of each.
func found(t *testing.T, interpreter string) string {
	t.Helper()
	path, err := exec.LookPath(interpreter)
	if err != nil {
		t.Skipf("%s is not installed here, so that its sample is not run", interpreter)
	}
	return path
}

func runNode(t *testing.T, sample, driver string, cases []request) []bool {
	node := found(t, "node")
	return judged(t, cases, exec.CommandContext(t.Context(), node, write(t, filepath.Join(t.TempDir(), "sample.mjs"), sample+driver)))
}

func runPython(t *testing.T, sample, driver string, cases []request) []bool {
	python := found(t, "python3")
	return judged(t, cases, exec.CommandContext(t.Context(), python, write(t, filepath.Join(t.TempDir(), "sample.py"), sample+driver)))
}

func runPHP(t *testing.T, sample, driver string, cases []request) []bool {
	php := found(t, "php")
	return judged(t, cases, exec.CommandContext(t.Context(), php, write(t, filepath.Join(t.TempDir(), "sample.php"), sample+driver)))
}

func runShell(t *testing.T, sample, driver string, cases []request) []bool {
	shell := found(t, "sh")
	found(t, "openssl")
	dir := t.TempDir()
	arguments := []string{write(t, filepath.Join(dir, "sample.sh"), sample+driver)}
	for i, c := range cases {
		at := filepath.Join(dir, fmt.Sprint(i))
		require.NoError(t, os.Mkdir(at, 0o700))
		var headers strings.Builder
		for name, value := range c.Headers {
			fmt.Fprintf(&headers, "%s: %s\r\n", strings.ToUpper(name), value)
		}
		secrets := ""
		for _, secret := range c.Secrets {
			secrets += secret + "\n"
		}
		write(t, filepath.Join(at, "headers"), headers.String())
		write(t, filepath.Join(at, "body"), string(c.Body))
		write(t, filepath.Join(at, "secrets"), secrets)
		arguments = append(arguments, at)
	}
	output, err := exec.CommandContext(t.Context(), shell, arguments...).Output()
	require.NoError(t, err)
	var verdicts []bool
	for line := range strings.FieldsSeq(string(output)) {
		verdicts = append(verdicts, line == "true")
	}
	return verdicts
}

// runGo builds a program of the standard library alone, in a module of its own.
func runGo(t *testing.T, sample, driver string, cases []request) []bool {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/receiver\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "sample.go"), sample)
	write(t, filepath.Join(dir, "driver.go"), driver)
	return judged(t, cases, built(t, dir, "."))
}

// runGoPackage builds a program within this module, without writing into it.
func runGoPackage(t *testing.T, sample, driver string, cases []request) []bool {
	dir := t.TempDir()
	here, err := os.Getwd()
	require.NoError(t, err)
	inside := filepath.Join(here, "testdata", "receiver")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(inside, "sample.go"): write(t, filepath.Join(dir, "sample.go"), sample),
		filepath.Join(inside, "driver.go"): write(t, filepath.Join(dir, "driver.go"), driver),
	}})
	require.NoError(t, err)
	return judged(t, cases, built(t, here, "-overlay="+write(t, filepath.Join(dir, "overlay.json"), string(overlay)), "./testdata/receiver"))
}

func built(t *testing.T, dir string, arguments ...string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "receiver")
	build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", binary}, arguments...)...)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return exec.CommandContext(t.Context(), binary)
}
