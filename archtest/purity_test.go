package archtest

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// chancy are the parts of the standard library whose answers differ from one
// call to the next. all: every name but those listed, else only those listed.
var chancy = map[string]struct {
	all   bool
	names []string
}{
	"time": {names: []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}},
	// What makes a generator, or names its type, leaves the seed to the caller.
	"math/rand":    {all: true, names: []string{"New", "NewSource", "NewZipf", "Rand", "Source", "Source64", "Zipf"}},
	"math/rand/v2": {all: true, names: []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}},
	"crypto/rand":  {all: true},
}

var chancyOnPurpose = []exception{
	{"internal/egress/race.go", "time.NewTimer", "connecting to several addresses is waiting by nature: the next one is tried when the last is late (RFC 8305)"},
}

// checkPurity finds where pure packages ask for the time or for chance
// themselves, called or handed on.
func checkPurity(files []*file) []finding {
	var findings []finding
	for _, f := range files {
		if f.test || !slices.Contains(pure, f.dir()) {
			continue
		}
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			head, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			target := f.imported(head)
			if of, known := chancy[target]; known && slices.Contains(of.names, selector.Sel.Name) != of.all {
				findings = append(findings, found(f, selector.Pos(), target+"."+selector.Sel.Name,
					"a pure package takes the time and chance as arguments"))
			}
			return true
		})
	}
	return findings
}

func TestPurity(t *testing.T) {
	t.Parallel()
	report(t, except(checkPurity(theModule(t).files), chancyOnPurpose))
}

func TestCheckPurity(t *testing.T) {
	t.Parallel()
	const source = `package policy
import (
	secret "crypto/rand"
	"math/rand/v2"
	"time"
)
var clock = time.Now
func f(now time.Time, random *rand.Rand) time.Duration {
	_ = rand.New(rand.NewPCG(1, 2))
	_, _ = random.Float64(), rand.Float64()
	_ = secret.Reader
	return time.Since(now)
}`
	require.Equal(t, []string{"time.Now", "math/rand/v2.Float64", "crypto/rand.Reader", "time.Since"},
		whats(checkPurity([]*file{sample(t, "internal/policy/a.go", source)})))
	require.Empty(t, checkPurity([]*file{sample(t, "internal/policy/a_test.go", source)}))
	require.Empty(t, checkPurity([]*file{sample(t, "internal/publish/a.go", source)}))
}
