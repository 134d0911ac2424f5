package contractpage

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// This file reads a Markdown page back, knowing the headings that its language
// uses and nothing of how the numbers came there.

type read struct {
	t      fataler
	locale *locale
	page   string
}

func readPage(t fataler, l Language, page string) read {
	t.Helper()
	return read{t, locales[l], strings.ReplaceAll(page, rightToLeftMark, "")}
}

// heading is the text of a key without placeholders.
func (r read) heading(key string) string {
	r.t.Helper()
	m, known := r.locale.texts()[key]
	require.True(r.t, known, key)
	said, err := m.fill(r.locale.one, nil)
	require.NoError(r.t, err, key)
	return said.String()
}

// table is the rows of the table with the caption, without its head.
func (r read) table(key string) [][]string {
	r.t.Helper()
	_, after, found := strings.Cut(r.page, "\n**"+r.heading(key)+"**\n\n")
	require.True(r.t, found, "there is no table %s", key)
	body, _, _ := strings.Cut(after, "\n\n")
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	var rows [][]string
	for _, line := range lines {
		rows = append(rows, cells(r.t, line))
		require.Len(r.t, rows[len(rows)-1], len(rows[0]), line)
	}
	return rows[2:]
}

// cells splits a row at the pipes that are not escaped.
func cells(t fataler, line string) []string {
	t.Helper()
	inside, ok := strings.CutPrefix(line, "| ")
	require.True(t, ok, line)
	inside, ok = strings.CutSuffix(inside, " |")
	require.True(t, ok, line)
	escaped := strings.ReplaceAll(inside, `\|`, "\x00")
	split := strings.Split(escaped, "|")
	for i := range split {
		split[i] = strings.ReplaceAll(strings.TrimSpace(split[i]), "\x00", "|")
	}
	return split
}

// fact is the right cell of a row of the summary, or "" if there is none.
func (r read) fact(key string) string {
	r.t.Helper()
	for _, row := range r.table("glance.caption") {
		if row[0] == r.heading(key) {
			return row[1]
		}
	}
	return ""
}

// below is what stands between a heading and the next one.
func (r read) below(level, key string) string {
	r.t.Helper()
	_, after, found := strings.Cut(r.page, "\n"+level+" "+r.heading(key)+"\n")
	require.True(r.t, found, "there is no heading %s", key)
	if end := regexp.MustCompile(`(?m)^#{2,3} `).FindStringIndex(after); end != nil {
		after = after[:end[0]]
	}
	return after
}

// latin writes the digits of every language as 0 to 9.
func latin(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= '۰' && c <= '۹':
			return '0' + c - '۰'
		case c == '٫':
			return '.'
		default:
			return c
		}
	}, text)
}

var (
	codeSpans  = regexp.MustCompile("`[^`]*`")
	numerals   = regexp.MustCompile(`\d+(?:[.,]\d+)?`)
	unitWords  = `days?|dias?|روز|hours?|horas?|ساعت|h|minutes?|minutos?|دقیقه|min|seconds?|segundos?|ثانیه|s`
	oneAmount  = `(\d+(?:[.,]\d+)?)[ \x{a0}](` + unitWords + `)\b?`
	allAmounts = regexp.MustCompile(oneAmount)
	// A duration may hang together with what joins its parts.
	someDuration = regexp.MustCompile(oneAmount + `(?:(?:,|،| and| e| و)? ` + oneAmount + `)*`)
	lengths      = map[string]time.Duration{
		"d": 24 * time.Hour, "ر": 24 * time.Hour, "h": time.Hour, "سا": time.Hour, "m": time.Minute, "دق": time.Minute, "s": time.Second, "ثا": time.Second,
	}
)

// numbers lists the numbers of a text, but for those within code.
func numbers(t fataler, text string) []float64 {
	t.Helper()
	var found []float64
	for _, numeral := range numerals.FindAllString(latin(codeSpans.ReplaceAllString(text, "")), -1) {
		n, err := strconv.ParseFloat(strings.Replace(numeral, ",", ".", 1), 64)
		require.NoError(t, err)
		found = append(found, n)
	}
	return found
}

// durations lists the lengths of time in a text. Parts that hang together are
// one as long as their units get smaller.
func durations(t fataler, text string) []time.Duration {
	t.Helper()
	var found []time.Duration
	for _, run := range someDuration.FindAllString(latin(text), -1) {
		last := time.Duration(0)
		for _, part := range allAmounts.FindAllStringSubmatch(run, -1) {
			n, err := strconv.ParseFloat(strings.Replace(part[1], ",", ".", 1), 64)
			require.NoError(t, err)
			unit := unitLength(part[2])
			length := time.Duration(n*1000+0.5) * unit / 1000
			if last > unit {
				found[len(found)-1] += length
			} else {
				found = append(found, length)
			}
			last = unit
		}
	}
	return found
}

func unitLength(word string) time.Duration {
	for prefix, length := range lengths {
		if strings.HasPrefix(word, prefix) {
			return length
		}
	}
	return 0
}

// duration is the only length of time in a text.
func duration(t fataler, text string) time.Duration {
	t.Helper()
	found := durations(t, text)
	require.Len(t, found, 1, text)
	return found[0]
}

var statuses = regexp.MustCompile(`[1-5](?:[0-9]{2}(?:–[1-5][0-9]{2})?|xx)`)

// rowsByStatus says which row of a table each status belongs to: the one that
// names it, else the one that names its class.
func rowsByStatus(t fataler, rows [][]string) map[int]int {
	t.Helper()
	classes, named := map[int]int{}, map[int]int{}
	for i, row := range rows {
		for _, name := range statuses.FindAllString(row[0], -1) {
			if strings.HasSuffix(name, "xx") {
				require.NotContains(t, classes, int(name[0]-'0'), "%s is there twice", name)
				classes[int(name[0]-'0')] = i
				continue
			}
			from, to, isRun := strings.Cut(name, "–")
			if !isRun {
				to = from
			}
			for status := from; status <= to; {
				n, err := strconv.Atoi(status)
				require.NoError(t, err)
				require.NotContains(t, named, n, "%d is there twice", n)
				named[n] = i
				status = strconv.Itoa(n + 1)
			}
		}
	}
	for status := 200; status < 600; status++ {
		if _, known := named[status]; !known {
			i, known := classes[status/100]
			require.True(t, known, "no row tells of %d", status)
			named[status] = i
		}
	}
	return named
}

var escapes = regexp.MustCompile(`\\[[:punct:]]`)

var spansOfAnyLength = regexp.MustCompile("```[^`]*(?:`{1,2}[^`]+)*```|``[^`]*(?:`[^`]+)*``|`[^`]*`")
