package filter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCompile_RefusesWithPlaceAndAdvice(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]SyntaxError{
		"":                                 {1, 1, "complete it"},
		"data.total > 10 &&":               {1, 19, "complete it"},
		"(type == 'a'":                     {1, 13, "missing ')'"},
		"type == 'a')":                     {1, 12, "')'"},
		"data.total = 10":                  {1, 12, "write == to compare"},
		"type <> 'x'":                      {1, 7, "write != for not equal"},
		"type == 'x' and data.y":           {1, 13, "write && for and"},
		"type == 'x' or data.y":            {1, 13, "write || for or"},
		"data.total > 1,000":               {1, 15, "numbers without it"},
		"data.in == 1":                     {1, 6, `["in"]`},
		"type == “x”":                      {1, 9, "plain quotes"},
		"type == 'x":                       {1, 9, "does not end"},
		`type == "\q"`:                     {1, 9, "escape"},
		"tpye == 'x'":                      {1, 1, `there is no "tpye": a filter knows type, tenant,`},
		"data.a-b":                         {1, 8, `there is no "b"`},
		"data.a && \n  (data.b ||\n\tfoo)": {3, 2, `there is no "foo"`},
		"type == '😀é' && foo":              {1, 17, `there is no "foo"`},
		"len(type) > 3":                    {1, 4, `there is no function "len"`},
		"type.lower() == 'x'":              {1, 11, `there is no function "lower"`},
		"type.exists(c, c == 'a')":         {1, 12, "a loop does not go with (string)"},
		"type == 1":                        {1, 6, "== does not go with (string, int): convert"},
		"occurred_at > '2026'":             {1, 13, "> does not go with (timestamp, string)"},
		"occurred_at.getHours('Asia/Tehran') == 1": {1, 21, "getHours does not go with"},
		"type":                            {1, 1, "type string: a filter must say true or false"},
		"data.items.map(i, i > 1)":        {1, 1, "type list(bool): a filter must say true or false"},
		"google.protobuf.Empty{} == data": {1, 22, "compare fields one by one"},
		"type.matches('(')":               {1, 14, "not a regular expression"},
		"type.matches(data.p)":            {1, 18, "written out"},
		"matches(type, tenant)":           {1, 15, "written out"},
		"type.matches('a{900}')":          {1, 14, "repeats too much"},
		"type.matches('" + strings.Repeat("a", 257) + "')":                             {1, 14, "shorten it"},
		"data.a.all(w, data.b.all(x, data.c.all(y, data.d.all(z, w == x && y == z))))": {1, 53, "use fewer"},
		"data.a.all(x, data.b.all(y, data.c.all(z, x == y || y == z)))":                {1, 1, "use fewer loops"},
		strings.Repeat("(", 40) + "true" + strings.Repeat(")", 40):                     {1, 1, "write it flatter"},
		"type in ['a'" + strings.Repeat(",'a'", 500) + "]":                             {1, 1, "shorter"},
		"type == 'a'\n&& 'é' \xff":                                                     {2, 8, "UTF-8"},
		strings.Repeat("x", 4097):                                                      {1, 1, "shorten it"},
		"type " + strings.Repeat("x", 300):                                             {1, 6, "'" + strings.Repeat("x", 100)},
		"type == \x00":                                                                 {1, 9, "means nothing"},
	} {
		_, err := Compile(source)
		var refused *SyntaxError
		require.ErrorAs(t, err, &refused, source)
		require.Equal(t, []int{want.Line, want.Column}, []int{refused.Line, refused.Column}, "%s: %s", source, refused.Message)
		require.Contains(t, refused.Message, want.Message, source)
		require.LessOrEqual(t, len([]rune(refused.Message)), maxMessage+100, source)
	}
}

func TestCompile_TakesWhatIsWithinTheLimits(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"data", "data.flag", "true",
		"type == 'x' // " + strings.Repeat("x", MaxLength-15),
		"type in ['a'" + strings.Repeat(",'a'", 490) + "]",
		strings.Repeat("type == 'a' || ", 100) + "type == 'b'",
		strings.Repeat("(", 20) + "true" + strings.Repeat(")", 20),
		"data.a.all(x, data.b.exists(y, x == y))",
		"data.items.filter(i, i.quantity > 1).map(i, i.sku).exists(s, s == 'A')",
		"type.matches('" + strings.Repeat("a", 250) + "')",
		"data.text.matches('(?i)^[a-z]{1,40}@example\\\\.com$')",
		"data.a.b.c.d.e.f.g.h.i.j == 1",
	} {
		_, err := Compile(source)
		require.NoError(t, err, source)
	}
}

// Wherever a wrong name stands, between lines and letters of any width, its place
// is found.
func TestCompile_FindsThePlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"true && ", "\n", "\t", "'ção' == type && ", "\"😀\" != type &&\n", "data.x == 1 && ", "  ", "// نظر\n", "'''a\nb''' == type && ",
		}), 0, 8).Draw(t, "before"), "")
		_, err := Compile(before + "wrong" + rapid.SampledFrom([]string{"", "\n", " && true", "\n|| false"}).Draw(t, "after"))
		refused, ok := err.(*SyntaxError)
		if !ok {
			t.Fatal(err)
		}
		lines := strings.Split(before, "\n")
		last := lines[len(lines)-1]
		if refused.Line != len(lines) || refused.Column != len([]rune(last))+1 {
			t.Fatalf("%q: %v", before, refused)
		}
	})
}

func TestSyntaxError_SaysWhere(t *testing.T) {
	t.Parallel()
	require.EqualError(t, &SyntaxError{2, 7, "write == to compare"}, "line 2, column 7: write == to compare")
}
