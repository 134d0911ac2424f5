package archtest

import (
	"fmt"
	"go/token"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// finding is a breach of a rule.
type finding struct {
	file string
	line int    // 0: the whole file, or package
	what string // what was found; exceptions name it
	rule string // what to do instead
}

func (f finding) String() string {
	where := f.file
	if f.line > 0 {
		where = fmt.Sprintf("%s:%d", f.file, f.line)
	}
	return fmt.Sprintf("%s: %s: %s", where, f.what, f.rule)
}

func found(f *file, pos token.Pos, what, rule string) finding {
	return finding{file: f.path, line: f.line(pos), what: what, rule: rule}
}

// exception is a finding that we mean. It says why, and goes with its cause: an
// exception that excepts nothing is a finding itself.
type exception struct{ file, what, why string }

func except(findings []finding, exceptions []exception) []finding {
	used := make([]bool, len(exceptions))
	rest := slices.DeleteFunc(slices.Clone(findings), func(f finding) bool {
		i := slices.IndexFunc(exceptions, func(e exception) bool { return e.file == f.file && e.what == f.what })
		if i < 0 || exceptions[i].why == "" {
			return false
		}
		used[i] = true
		return true
	})
	for i, e := range exceptions {
		if !used[i] {
			rest = append(rest, finding{file: e.file, what: e.what, rule: "this exception is not needed any more, or has no reason: remove it"})
		}
	}
	return rest
}

// report fails the test once per finding.
func report(t *testing.T, findings []finding) {
	t.Helper()
	for _, f := range findings {
		t.Error(f)
	}
}

// whats are what a check found in samples.
func whats(findings []finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, f.what)
	}
	return list
}

func TestExcept(t *testing.T) {
	t.Parallel()
	findings := []finding{{file: "a.go", what: "x"}, {file: "a.go", what: "y"}, {file: "b.go", what: "x"}}
	rest := except(findings, []exception{
		{"a.go", "x", "it must"},
		{"b.go", "x", ""},
		{"c.go", "x", "it was so once"},
	})
	require.Equal(t, []string{"y", "x", "x", "x"}, whats(rest))
	require.Equal(t, "c.go", rest[3].file)
}
