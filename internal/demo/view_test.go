package demo

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

var commands = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func exampleBoard() *board {
	b := &board{at: noon, phase: publishing, part: 0.5, words: "1,500 of 3,000 events at 150 a second", rows: []row{
		{title: "loja-aurora: pagamentos (429)", expect: troubled, state: "failing ×7", tone: careful, pending: 41, inFlight: 3, delivered: 12, oldest: 9 * time.Second,
			latencies: []time.Duration{4 * time.Millisecond}},
		{title: "clínica-vida: agenda (never answers, and has a long name)", expect: troubled, state: "paused 28 s", tone: careful, pending: 12_345, oldest: 3 * time.Minute},
		{title: "escola-horizonte: secretaria (410)", expect: troubled, state: "disabled", tone: bad, dead: 7, oldest: -1},
	}}
	for i := range 6 {
		b.rows = append(b.rows, row{
			title: fmt.Sprintf("banco-mirim: fraude %d", i), state: "ok", tone: good, delivered: 100, oldest: -1,
			latencies: []time.Duration{time.Duration(i+1) * time.Millisecond},
		})
	}
	return b
}

func TestView_ShowsTheTroubledAFewHealthyAndTheSums(t *testing.T) {
	t.Parallel()
	lines := view{width: 84, height: 14}.lines(exampleBoard())
	require.Equal(t, strings.TrimLeft(`
publishing  ████████████░░░░░░░░░░░░  1,500 of 3,000 events at 150 a second

ENDPOINT                STATE        PENDING IN FLIGHT DELIVERED  DEAD OLDEST    P99
loja-aurora: pagamento… failing ×7        41         3        12     0  9.0 s   4 ms
clínica-vida: agenda (… paused 28 s   12,345         0         0     0  3 min      –
escola-horizonte: secr… disabled           0         0         0     7      –      –
banco-mirim: fraude 0   ok                 0         0       100     0      –   1 ms
banco-mirim: fraude 1   ok                 0         0       100     0      –   2 ms
banco-mirim: fraude 2   ok                 0         0       100     0      –   3 ms
… and 3 more                               0         0       300     0      –   6 ms

6 healthy endpoints                        0         0       600     0      –   6 ms
all 9 endpoints                       12,386         3       612     7  3 min   6 ms`, "\n"), strings.Join(lines, "\n"))
}

func TestView_KeepsToTheWindow(t *testing.T) {
	t.Parallel()
	b := exampleBoard()
	b.trouble = "These figures are old: " + strings.Repeat("the API does not answer ", 20)
	for _, on := range []bool{false, true} {
		for width := smallest; width < 160; width += 7 {
			for height := shortestView; height < 25; height++ {
				lines := view{width: width, height: height, palette: palette{on}}.lines(b)
				require.LessOrEqual(t, len(lines), height)
				for _, line := range lines {
					require.LessOrEqual(t, utf8.RuneCountInString(commands.ReplaceAllString(line, "")), width, line)
				}
			}
		}
	}
	painted := strings.Join(view{width: 100, height: 30, palette: palette{true}}.lines(b), "\n")
	plain := strings.Join(view{width: 100, height: 30}.lines(b), "\n")
	require.Equal(t, plain, commands.ReplaceAllString(painted, ""), "colour changes nothing else")
	require.Contains(t, painted, string(careful)+"failing ×7")
}

func TestView_AlwaysShowsSomeHealthyOnes(t *testing.T) {
	t.Parallel()
	rows := make([]row, 65)
	for i := range rows {
		rows[i] = row{title: fmt.Sprint(i), expect: troubled}
		if i >= 40 {
			rows[i].expect = healthy
		}
	}
	for room := range 80 {
		shown, hidden := choose(rows, room)
		require.Len(t, rows, len(shown)+len(hidden))
		require.LessOrEqual(t, len(shown)+min(len(hidden), 1), max(room, 1))
		healthyShown := 0
		seen := map[string]bool{}
		for _, r := range append(shown, hidden...) {
			seen[r.title] = true
		}
		for _, r := range shown {
			if r.expect == healthy {
				healthyShown++
			}
		}
		require.Len(t, seen, len(rows))
		if room > fewestShown {
			require.GreaterOrEqual(t, healthyShown, fewestShown)
		}
	}
}

func TestScreen_DrawsOverOnTerminalsOnly(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	var out bytes.Buffer
	o := Options{Out: &out, Terminal: true, Width: 80, Height: 12, blocks: time.Minute}
	s := newScreen(o)
	s.show(exampleBoard())
	first := out.Len()
	s.show(exampleBoard())
	second := out.String()[first:]
	lines := strings.Count(out.String()[:first], "\n")
	require.Equal(t, fmt.Sprintf("\x1b[%dA\r", lines), second[:len(fmt.Sprintf("\x1b[%dA\r", lines))])
	require.True(t, strings.HasSuffix(second, eraseBelow), "what was longer before goes away")
	require.Less(t, lines, 12)
	require.Contains(t, second, string(good))

	out.Reset()
	o.Terminal = false
	s = newScreen(o)
	b := exampleBoard()
	s.show(b)
	block := out.String()
	require.NotContains(t, block, "\x1b")
	s.show(b)
	require.Equal(t, block, out.String(), "not a block for every look")
	b.phase = draining
	s.show(b)
	require.Greater(t, out.Len(), len(block), "but one for every phase")
	size := out.Len()
	b.at = b.at.Add(2 * time.Minute)
	s.show(b)
	require.Greater(t, out.Len(), size, "and from time to time")
}

func TestScreen_ObeysNOCOLOR(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	var out bytes.Buffer
	newScreen(Options{Out: &out, Terminal: true, Width: 80, Height: 12}).show(exampleBoard())
	require.NotRegexp(t, "\x1b\\[[0-9;]*m", out.String())
}

func TestBoard_StatesAreShort(t *testing.T) {
	t.Parallel()
	for want, view := range map[string]endpointView{
		"ok":          {Status: delivery.Active},
		"failing ×3":  {Status: delivery.Active, ConsecutiveFailures: 3},
		"paused 28 s": {Status: delivery.Active, ConsecutiveFailures: 12, PausedUntil: noon.Add(28 * time.Second)},
		"failing ×12": {Status: delivery.Active, ConsecutiveFailures: 12, PausedUntil: noon.Add(-time.Second)},
		"paused":      {Status: delivery.Paused},
		"disabled":    {Status: delivery.DisabledBySystem, ConsecutiveFailures: 1},
	} {
		state, _ := stateOf(view, noon)
		require.Equal(t, want, state)
	}
}

func TestBoard_IsSettledWhenNothingGoodIsLeftToDo(t *testing.T) {
	t.Parallel()
	b := &board{rows: []row{{expect: troubled, pending: 9}, {expect: settling}, {expect: healthy}}}
	require.True(t, b.settled())
	b.rows[1].inFlight = 1
	require.False(t, b.settled())
	b.rows[1].inFlight, b.rows[2].pending = 0, 1
	require.False(t, b.settled())
}
