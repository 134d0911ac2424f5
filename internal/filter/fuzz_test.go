package filter

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
)

// Whatever somebody writes, about whatever event: no panic, an error that says
// where, a bounded cost, and nothing dropped that was not judged.
func FuzzCompileAndMatch(f *testing.F) {
	for _, source := range []string{
		`type == "a"`, `data.total > 10 && data.items.exists(i, i.sku == "A")`, `data`, `data.a.all(x, data.b.all(y, x == y))`,
		`data.id.matches("^(a+)+$")`, `has(data.a) ? data.a : "x"`, `{"a": [1, 2u, 3.0, b"x", null]} == data`, `timestamp(data.at) > occurred_at - duration("1h")`,
		`type == `, "\n '😀' == ", `data.a.b["c"][0].d in [data, 1]`, `google.protobuf.Value{}`, `data.map(x, x, [x]) != []`, `@range(data)`, `!!!data`, `-data.a < 1`,
		`string(data.a) + type == ""`, `data.text.map(c, c)`, `type(data) == map`, `dyn(1) in data`, `data.?a.orValue(1) == 1`, "data.`a` == 1", `r'\q' == b'''x'''`,
	} {
		for _, data := range []string{`{"total":11,"items":[{"sku":"A"}]}`, `[1,2.5,"x",null,true]`, `"text"`, `1e999`, `{"a":{"b":{"c":[{"d":1}]}},"a":`} {
			f.Add(source, []byte(data))
		}
	}
	f.Fuzz(func(t *testing.T, source string, data []byte) {
		compiled, err := Compile(source)
		if err != nil {
			checkRefusal(t, source, err)
			return
		}
		before := bytes.Clone(data)
		event := NewEvent(&delivery.Event{Type: "a", Tenant: "acme", ContentType: "application/json", Body: data}, nil)
		first, firstErr := compiled.Match(event)
		spent := event.spent
		second, secondErr := compiled.Match(event)
		switch {
		case firstErr != nil && !first:
			t.Fatalf("dropped without a verdict: %v", firstErr)
		case first != second || !errors.Is(secondErr, firstErr):
			t.Fatalf("first %v (%v), then %v (%v)", first, firstErr, second, secondErr)
		case spent > MaxSteps+uint64(len(source)+1)*uint64(len(data)+1)*8:
			t.Fatalf("took %d steps", spent)
		case !bytes.Equal(before, data):
			t.Fatal("the event was changed")
		}
	})
}

func checkRefusal(t *testing.T, source string, err error) {
	t.Helper()
	refused, ok := errors.AsType[*SyntaxError](err)
	if !ok || refused.Message == "" || !utf8.ValidString(refused.Message) || refused.Line < 1 || refused.Column < 1 {
		t.Fatalf("%#v", err)
	}
	if refused.Line > 1+bytes.Count([]byte(source), []byte("\n")) || refused.Column > 1+utf8.RuneCountInString(source) {
		t.Fatalf("no such place: %v", refused)
	}
}
