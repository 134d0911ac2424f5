package policies

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/contractpage"
	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/policy"
)

const framers = "frame-ancestors"

// guidePolicy is the guide's own security policy, with who may frame our pages.
func guidePolicy(ours string) string {
	own, _, _ := strings.Cut(contractpage.ContentSecurityPolicy(), framers)
	if _, who, found := strings.Cut(ours, framers); found {
		return own + framers + who
	}
	return own + framers + " 'none'"
}

// attempts is how many the policy makes, as far as that is certain.
func (s summary) attempts(ctx context.Context) string {
	if s.Parsed == nil {
		return ""
	}
	fewest, most := policy.Attempts(s.Table)
	if fewest == most {
		return lang.Number(ctx, most)
	}
	return rangeText.In(ctx, fewest, most)
}

// last is when the last attempt is made, without jitter; 0: there is only one.
func (s summary) last() time.Duration {
	for i := len(s.Table) - 1; i >= 0; i-- {
		if at := s.Table[i].Without; at != policy.Never {
			return at
		}
	}
	return 0
}

func (s summary) jitters() bool {
	kind := s.Parsed.Schedule.Jitter.Kind
	return kind != "" && kind != policy.NoJitter
}

// offset is an instant of the timetable.
func offset(ctx context.Context, at time.Duration) string {
	if at == policy.Never {
		return "–"
	}
	return lang.Duration(ctx, at.Round(time.Millisecond))
}

// spread is between which instants an attempt lies.
func spread(ctx context.Context, row policy.Instant) string {
	if row.Least == row.Most {
		return offset(ctx, row.Without)
	}
	return spreadText.In(ctx, offset(ctx, row.Least), offset(ctx, row.Most))
}

// numbered is a line of YAML with its number.
type numbered struct {
	Number string
	Text   string
	Wrong  bool
}

// lines are the text's, of which the one with the number is marked.
func lines(yaml string, wrong int) []numbered {
	var list []numbered
	for i, text := range strings.Split(strings.TrimSuffix(yaml, "\n"), "\n") {
		list = append(list, numbered{strconv.Itoa(i + 1), text, i+1 == wrong})
	}
	return list
}
