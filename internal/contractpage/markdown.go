package contractpage

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// rightToLeftMark says which way a line runs whose first letter is of the other
// direction, such as a header's name at the beginning of a Persian sentence.
const rightToLeftMark = "\u200f"

// writeMarkdown writes CommonMark with the tables and task lists of GitHub's.
func writeMarkdown(p *page) []byte {
	w := &markdown{page: p}
	w.line("# %s", w.text(p.Title))
	if len(p.Description) > 0 {
		w.line("> %s", w.text(p.Description))
	}
	for _, paragraph := range p.Intro {
		w.line("%s", w.text(paragraph))
	}
	for _, section := range p.Sections {
		w.line("## %s", w.text(section.Title))
		for _, b := range section.Blocks {
			w.block(b)
		}
	}
	return []byte(w.out.String())
}

type markdown struct {
	page *page
	out  strings.Builder
}

// line writes a line, and an empty one between it and what is above.
func (w *markdown) line(format string, arguments ...any) {
	if w.out.Len() > 0 {
		w.out.WriteByte('\n')
	}
	fmt.Fprintf(&w.out, format+"\n", arguments...)
}

func (w *markdown) block(b block) {
	switch {
	case b.Heading != nil:
		w.line("### %s", w.text(b.Heading.Title))
	case b.Text != nil:
		w.line("%s", w.text(b.Text))
	case b.Items != nil:
		w.list(b.Items, func(int) string { return "- " })
	case b.Checks != nil:
		w.list(b.Checks, func(int) string { return "- [ ] " })
	case b.Steps != nil:
		w.list(b.Steps, func(i int) string { return fmt.Sprintf("%d. ", i+1) })
	case b.Table != nil:
		w.table(b.Table)
	case b.Listing != nil:
		fence := strings.Repeat("`", max(3, longestRun(b.Listing.Text)+1))
		w.line("%s%s\n%s\n%s", fence, b.Listing.Language, strings.TrimSuffix(b.Listing.Text, "\n"), fence)
	}
}

func (w *markdown) list(items []phrase, bullet func(int) string) {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = bullet(i) + w.text(item)
	}
	w.line("%s", strings.Join(lines, "\n"))
}

func (w *markdown) table(t *table) {
	w.line("**%s**", w.text(t.Caption))
	rows := [][]string{{}, {}}
	for _, head := range t.Head {
		rows[0], rows[1] = append(rows[0], w.text(head)), append(rows[1], "---")
	}
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			var lines []string
			for _, text := range c {
				lines = append(lines, w.text(text))
			}
			cells = append(cells, strings.Join(lines, "<br>"))
		}
		rows = append(rows, cells)
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = "| " + strings.Join(row, " | ") + " |"
	}
	w.line("%s", strings.Join(lines, "\n"))
}

func (w *markdown) text(p phrase) string {
	var text strings.Builder
	for _, s := range p {
		switch s.Style {
		case code:
			text.WriteString(codeSpan(s.Text))
		case strong:
			text.WriteString("**" + escape(s.Text) + "**")
		default:
			text.WriteString(escape(s.Text))
		}
	}
	line := startOfLine.ReplaceAllString(text.String(), `$1\$2$3`)
	if w.page.locale.toLeft && startsLeftToRight(p) {
		return rightToLeftMark + line
	}
	return line
}

// special are the signs that mean something within a line, wherever they stand.
var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "&", `\&`, "~", `\~`, "#", `\#`,
)

// startOfLine finds what would begin a list or a heading.
var startOfLine = regexp.MustCompile(`^(\d*)([-+=.)])(\s|$)`)

func escape(text string) string { return special.Replace(text) }

// codeSpan also escapes pipes, which end a cell even within code.
func codeSpan(text string) string {
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + strings.ReplaceAll(text, "|", `\|`) + fence
}

// longestRun is how many backticks stand in a row.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, c := range text {
		run++
		if c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// startsLeftToRight says whether the first letter is of another direction than
// the page's. A line of nobody's words but the policy's author's runs as it likes.
func startsLeftToRight(p phrase) bool {
	if len(p) == 1 && p[0].Style == quoted {
		return false
	}
	for _, c := range p.String() {
		if unicode.IsLetter(c) {
			return !unicode.Is(unicode.Arabic, c)
		}
	}
	return true
}
