package contractpage

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/policy"
)

// hostile is what an author could write to break out of the page.
const hostile = `</p></style><script>alert(1)</script><img src=x onerror=alert(2)>"'&amp; | **a** ` + "`b` [c](javascript:d)\u202e\x00\n# e\n| f |"

func hostilePolicy(t fataler) *policy.Policy {
	t.Helper()
	p := *presets(t)[0]
	p.Description = hostile
	p.Headers.Extra = []policy.Header{{Name: "x`y|z'", Value: `a|b "</code><script>c</script>` + "`"}}
	p.Envelope.Members = []policy.Member{{Name: "</code><script>|`\n", Value: policy.EventType}, {Name: `"data"`, Value: policy.Data}}
	return &p
}

var voids = []string{"br", "meta", "line", "rect", "circle"}

// element is one of a page's, with what it is in.
type element struct {
	name       string
	attributes map[string]string
	text       string // its own, not that of those within
	parent     string
}

// elements reads the page strictly: whatever is opened must be closed, in order.
func elements(t fataler, page string) []element {
	t.Helper()
	var all []element
	var open []int
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			require.ErrorIs(t, tokens.Err(), io.EOF)
			require.Empty(t, open, "not everything is closed")
			return all
		case html.TextToken:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(tokens.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			e := element{attributes: map[string]string{}}
			found := tokens.Token()
			e.name = found.Data
			for _, attribute := range found.Attr {
				if _, twice := e.attributes[attribute.Key]; twice {
					require.Fail(t, "an attribute is there twice", attribute.Key)
				}
				e.attributes[attribute.Key] = attribute.Val
			}
			if len(open) > 0 {
				e.parent = all[open[len(open)-1]].name
			}
			all = append(all, e)
			if !slices.Contains(voids, e.name) {
				if kind != html.StartTagToken {
					require.Fail(t, "this is no element that closes itself", e.name)
				}
				open = append(open, len(all)-1)
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			if len(open) == 0 || all[open[len(open)-1]].name != string(name) {
				require.Fail(t, "something else is to be closed here", "</%s>", name)
			}
			open = open[:len(open)-1]
		}
	}
}

var forbidden = []string{"script", "link", "img", "iframe", "object", "base", "form"}

// directed says whether an element has the attributes that tell how it is to be
// read, by eyes or ears.
func directed(e element, l Language) bool {
	switch e.name {
	case "html":
		return e.attributes["lang"] == locales[l].tag && (e.attributes["dir"] == "rtl") == (l == Persian)
	case "th":
		return e.attributes["scope"] == "col" || e.attributes["scope"] == "row"
	case "pre", "svg":
		return e.attributes["dir"] == "ltr"
	case "code":
		return e.attributes["dir"] == "ltr" || e.parent == "pre"
	default:
		return true
	}
}

func checkHTML(t fataler, page string, l Language) {
	t.Helper()
	ids, all := map[string]bool{}, elements(t, page)
	for _, e := range all {
		if slices.Contains(forbidden, e.name) {
			require.Fail(t, "this has no place on the page", e.name)
		}
		for name, value := range e.attributes {
			loads := slices.Contains([]string{"src", "style", "srcset", "xlink:href"}, name) || name == "href" && !strings.HasPrefix(value, "#")
			if loads || strings.HasPrefix(name, "on") {
				require.Fail(t, "this loads or runs something", "%s=%s", name, value)
			}
			if name == "id" && ids[value] {
				require.Fail(t, "an id is there twice", value)
			}
		}
		ids[e.attributes["id"]] = true
		if !directed(e, l) {
			require.Fail(t, "this runs in the wrong direction, or says nothing of its scope", "%s %v", e.name, e.attributes)
		}
	}
	for _, e := range all {
		for _, name := range []string{"aria-labelledby", "href"} {
			for id := range strings.FieldsSeq(e.attributes[name]) {
				if !ids[strings.TrimPrefix(id, "#")] {
					require.Fail(t, "this points nowhere", "%s=%s", name, id)
				}
			}
		}
	}
}

func TestHTML_IsWellFormed(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, p *policy.Policy, l Language) {
		page := rendered(t, p, Options{Language: l, Format: HTML})
		checkHTML(t, page, l)
		require.Equal(t, 1, strings.Count(page, "<svg"))
		require.NotContains(t, page, "ZgotmplZ", "the template engine refused something")
		require.Equal(t, 1, strings.Count(page, "<h1>"))
	})
}

func TestHTML_IsWellFormed_ForAnyPolicy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(Languages).Draw(t, "language")
		checkHTML(t, rendered(t, randomPolicy(t), Options{Language: l, Format: HTML}), l)
	})
}

// An author's words change no element of the page; they show as they are.
func TestHTML_HostileWordsStayWords(t *testing.T) {
	t.Parallel()
	tame := *hostilePolicy(t)
	tame.Description = "tame"
	tame.Headers.Extra = []policy.Header{{Name: "x", Value: "y"}}
	tame.Envelope.Members = []policy.Member{{Name: "a", Value: policy.EventType}, {Name: "b", Value: policy.Data}}
	for _, l := range Languages {
		page := rendered(t, hostilePolicy(t), Options{Language: l, Format: HTML})
		checkHTML(t, page, l)
		names := func(page string) (names []string) {
			for _, e := range elements(t, page) {
				names = append(names, e.name)
			}
			return names
		}
		require.Equal(t, names(rendered(t, &tame, Options{Language: l, Format: HTML})), names(page))
		shown := slices.ContainsFunc(elements(t, page), func(e element) bool {
			return e.name == "bdi" && e.text == printable(hostile)
		})
		require.True(t, shown)
	}
}

func TestMarkdown_HostileWordsStayWords(t *testing.T) {
	t.Parallel()
	for _, l := range Languages {
		page := rendered(t, hostilePolicy(t), Options{Language: l})
		r := readPage(t, l, page)
		require.Contains(t, page, "\n> "+`\</p\>\</style\>\<script\>alert(1)\</script\>\<img src=x onerror=alert(2)\>"'\&amp; \| \*\*a\*\* `+
			"\\`b\\` \\[c\\](javascript:d) \\# e \\| f \\|\n")
		headers := r.table("request.headers")
		require.Equal(t, "``x`y|z'``", headers[len(headers)-1][0])
		require.Contains(t, headers[len(headers)-1][1], "`` a|b \"</code><script>c</script>` ``")
		members := r.table("request.members")
		require.Len(t, members, 2)
		require.NotContains(t, outsideCode(page), "<script")
		require.NotContains(t, outsideCode(page), "[c]")
	}
}

// outsideCode leaves out fenced code and code spans.
func outsideCode(page string) string {
	var outside strings.Builder
	fence := ""
	for line := range strings.Lines(page) {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && ticks == fence:
			fence = ""
		case fence == "":
			outside.WriteString(spansOfAnyLength.ReplaceAllString(escapes.ReplaceAllString(line, ""), ""))
		}
	}
	return outside.String()
}

// A browser that goes by the policy shows the page in style.
func TestContentSecurityPolicy_KnowsTheStyleSheet(t *testing.T) {
	t.Parallel()
	for _, e := range elements(t, rendered(t, presets(t)[0], Options{Format: HTML})) {
		if e.name == "style" {
			sum := sha256.Sum256([]byte(e.text))
			require.Contains(t, ContentSecurityPolicy(), "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
			require.NotContains(t, e.text, "url(")
			require.NotContains(t, e.text, "@import")
			return
		}
	}
	require.Fail(t, "there is no style sheet")
}
