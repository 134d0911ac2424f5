package policy

import (
	"embed"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The timetables were computed from the contracts by other means than this code.
//
//go:embed testdata/timetables/*.txt
var timetables embed.FS

func timetableOf(p *Policy) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%7s%14s%14s%14s%14s\n", p.Name, "attempt", "wait", "no jitter", "least", "most")
	for _, row := range Schedule(p) {
		fmt.Fprintf(&text, "%7d%14s%14s%14s%14s\n", row.Attempt, clock(row.Wait), clock(row.Without), clock(row.Least), clock(row.Most))
	}
	fewest, most := Attempts(Schedule(p))
	fmt.Fprintf(&text, "%d to %d attempts\n", fewest, most)
	return text.String()
}

// clock shows hours, minutes and seconds, with what is left of a second.
func clock(d time.Duration) string {
	if d == Never {
		return "never"
	}
	shown := fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d/time.Minute%60, d/time.Second%60)
	if rest := d % time.Second; rest > 0 {
		shown += strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")
	}
	return shown
}

func TestSchedule_TimetablesOfAllPresets(t *testing.T) {
	t.Parallel()
	for _, name := range presetNames {
		sameTimetable(t, preset(t, name), name)
	}
}

func TestSchedule_NumberOfAttempts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]int{
		"standard": {10, 10}, "fair-queue": {20, 20}, "axxos": {9, 9}, "gateway": {8, 8}, "routa": {8, 8}, "dracma": {15, 16},
	} {
		fewest, most := Attempts(Schedule(preset(t, name)))
		require.Equal(t, want, [2]int{fewest, most}, name)
	}
}
