package policy

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// mutant is a preset with one value changed.
type mutant struct {
	change string
	source []byte
}

// words that may stand in each other's place, a line for each kind of place.
var words = [][]string{
	{"true", "false"},
	{"none", "table", "exponential"},
	{"none", "equal", "full", "percent", "additive"},
	{"none", "escalating", "half_open"},
	{"end", "repeat"},
	{"finished", "scheduled"},
	{"accepted", "first_attempt"},
	{"success", "failure"},
	{"retry", "dead"},
	{"rejected", "gone", "too_large"},
	{"event_id", "uuid4"},
	{"standard-webhooks", "timestamp-hex"},
	{"id", "type", "occurred_at", "accepted_at", "data"},
	{"2xx", "3xx", "4xx", "5xx", "410", "timeout", "tls", "any", "any_status", "any_error"},
	{"delivered", "dead", "skipped", "superseded", "resolved", "discarded"},
	{"no_endpoint", "type_not_subscribed", "endpoint_disabled", "filtered"},
}

// mutantsOf changes every value of the source in ways that could be a slip
// of the hand: numbers a little and a lot, words for others, list entries left
// out.
func mutantsOf(t *testing.T, source []byte) []mutant {
	t.Helper()
	mapping, refused := root(source)
	require.Nil(t, refused)
	m := &mutation{t: t, source: source}
	for _, field := range mapping.Values {
		if name := field.Key.String(); name != "name" && name != "description" {
			m.field(name, field)
		}
	}
	return m.mutants
}

type mutation struct {
	t       *testing.T
	source  []byte
	mutants []mutant
}

func (m *mutation) field(path string, field *ast.MappingValueNode) {
	switch value := field.Value.(type) {
	case *ast.MappingNode:
		for _, below := range value.Values {
			m.field(path+"."+below.Key.String(), below)
		}
	case *ast.SequenceNode:
		m.list(path, value)
	default:
		m.scalar(path, value)
	}
}

func (m *mutation) list(path string, list *ast.SequenceNode) {
	for i, element := range list.Values {
		where := fmt.Sprintf("%s[%d]", path, i)
		if mapping, ok := element.(*ast.MappingNode); ok {
			for _, below := range mapping.Values {
				m.field(where+"."+below.Key.String(), below)
			}
			continue
		}
		m.scalar(where, element)
		m.leaveOut(where, element)
	}
}

// leaveOut takes an entry out of a list in one line, with the comma beside it.
func (m *mutation) leaveOut(where string, element ast.Node) {
	begin, end := m.place(element)
	if rest := m.source[end:]; bytes.HasPrefix(rest, []byte(", ")) {
		end += 2
	} else if bytes.HasSuffix(m.source[:begin], []byte(", ")) {
		begin -= 2
	}
	m.add(where+" left out", begin, end, "")
}

func (m *mutation) scalar(path string, value ast.Node) {
	begin, end := m.place(value)
	was := string(m.source[begin:end])
	others := others(was)
	if strings.HasPrefix(path, "headers.") && path != "headers.idempotency_key_from" {
		others = []string{"X-Other"}
	}
	require.NotEmpty(m.t, others, path)
	for _, other := range others {
		if other != was {
			m.add(fmt.Sprintf("%s: %s → %s", path, was, other), begin, end, other)
		}
	}
}

// place is where in the source a value's text stands.
func (m *mutation) place(value ast.Node) (begin, end int) {
	at := value.GetToken()
	lines := bytes.SplitAfter(m.source, []byte("\n"))
	for _, line := range lines[:at.Position.Line-1] {
		begin += len(line)
	}
	begin += len(string([]rune(string(lines[at.Position.Line-1]))[:at.Position.Column-1]))
	end = begin + len(at.Value)
	require.Equal(m.t, at.Value, string(m.source[begin:end]))
	return begin, end
}

func (m *mutation) add(change string, begin, end int, text string) {
	source := slices.Concat(m.source[:begin], []byte(text), m.source[end:])
	m.mutants = append(m.mutants, mutant{change, source})
}

// others are neighbours, the half and the double of a number, a duration or a
// size, and every word that could stand in a word's place.
func others(was string) []string {
	var others []string
	for _, alike := range words {
		if slices.Contains(alike, was) {
			others = append(others, alike...)
		}
	}
	if d, err := time.ParseDuration(was); err == nil && was != "0" {
		return []string{(d + time.Second).String(), (d - time.Second).String(), (d * 2).String(), (d / 2).String()}
	}
	digits, unit := was, 1
	if kilo, ok := strings.CutSuffix(was, "KiB"); ok {
		digits, unit = kilo, 1<<10
	}
	if n, err := strconv.Atoi(digits); err == nil {
		n *= unit
		return append(others, strconv.Itoa(n+1), strconv.Itoa(n-1), strconv.Itoa(n*2), strconv.Itoa(n/2))
	}
	return others
}

// Whatever number, status or word of a preset is changed: Parse refuses it, or
// one of the contract's clauses notices. Mutants that mean the same are none.
func TestPresets_NoChangeGoesUnnoticed(t *testing.T) {
	t.Parallel()
	for _, name := range presetNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			original := preset(t, name)
			for _, pr := range promises[name] {
				require.NoError(t, pr.brokenBy(original))
			}
			source, _ := PresetSource(name)
			for _, mutant := range mutantsOf(t, source) {
				changed, err := Parse(mutant.source)
				if err != nil || cmp.Equal(original, changed) {
					continue
				}
				if !slices.ContainsFunc(promises[name], func(pr promise) bool { return pr.brokenBy(changed) != nil }) {
					t.Errorf("nothing notices %s", mutant.change)
				}
			}
		})
	}
}

func TestMutantsOf(t *testing.T) {
	t.Parallel()
	source := "name: x\ndeadline: 5s # é\nfifo: false\nmax_in_flight: 3\nresponse: {read_limit: 1KiB, keep_failed: 0}\n" +
		"success: [204, 200]\nschedule:\n  waits: [30s]\nfailures:\n  - on: [tls]\n    then: retry\nheaders: {id: X-Id}\n"
	var changes []string
	for _, mutant := range mutantsOf(t, []byte(source)) {
		changes = append(changes, mutant.change)
	}
	require.Equal(t, []string{
		"deadline: 5s → 6s", "deadline: 5s → 4s", "deadline: 5s → 10s", "deadline: 5s → 2.5s", "fifo: false → true",
		"max_in_flight: 3 → 4", "max_in_flight: 3 → 2", "max_in_flight: 3 → 6", "max_in_flight: 3 → 1",
		"response.read_limit: 1KiB → 1025", "response.read_limit: 1KiB → 1023", "response.read_limit: 1KiB → 2048", "response.read_limit: 1KiB → 512",
		"response.keep_failed: 0 → 1", "response.keep_failed: 0 → -1",
		"success[0]: 204 → 205", "success[0]: 204 → 203", "success[0]: 204 → 408", "success[0]: 204 → 102", "success[0] left out",
		"success[1]: 200 → 201", "success[1]: 200 → 199", "success[1]: 200 → 400", "success[1]: 200 → 100", "success[1] left out",
		"schedule.waits[0]: 30s → 31s", "schedule.waits[0]: 30s → 29s", "schedule.waits[0]: 30s → 1m0s", "schedule.waits[0]: 30s → 15s", "schedule.waits[0] left out",
		"failures[0].on[0]: tls → 2xx", "failures[0].on[0]: tls → 3xx", "failures[0].on[0]: tls → 4xx", "failures[0].on[0]: tls → 5xx",
		"failures[0].on[0]: tls → 410", "failures[0].on[0]: tls → timeout", "failures[0].on[0]: tls → any",
		"failures[0].on[0]: tls → any_status", "failures[0].on[0]: tls → any_error",
		"failures[0].on[0] left out", "failures[0].then: retry → dead", "headers.id: X-Id → X-Other",
	}, changes)
	last := mutantsOf(t, []byte(source))[15:20]
	require.Contains(t, string(last[4].source), "\nsuccess: [200]\n")
	require.Contains(t, string(last[0].source), "\nsuccess: [205, 200]\n")
}
