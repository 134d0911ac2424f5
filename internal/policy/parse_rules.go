package policy

import (
	"regexp"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var statusOrClass = regexp.MustCompile(`^[1-5](xx|[0-9][0-9])$`)

func isStatus(c Condition) bool { return statusOrClass.MatchString(string(c)) }

func isAnswer(c Condition) bool { return c == Any || isStatus(c) }

// isFailure excludes HTTPStatus, which is what a status means anyway, and
// interruptions, which are no failure of the endpoint's.
func isFailure(c Condition) bool {
	if isAnswer(c) || c == AnyStatus || c == AnyError {
		return true
	}
	code := delivery.ErrorCode(c)
	return slices.Contains(delivery.ErrorCodes, code) && code != delivery.HTTPStatus && code != delivery.InterruptedSend
}

func (s *section) conditions(name string, fallback []Condition, allowed func(Condition) bool) []Condition {
	if !s.has(name) {
		return fallback
	}
	read := []Condition{}
	for _, element := range s.list(name) {
		word, _ := scalar(element.node)
		if !allowed(Condition(word)) {
			s.refuse(element.at, element.field, "%q is nothing that can be matched here; statuses are written 410 or 4xx", word)
			continue
		}
		read = append(read, Condition(word))
	}
	return read
}

func (p *Policy) readFailures(s *section) {
	elements := s.list("failures")
	if len(elements) > 100 {
		s.complain("failures", "must be at most 100 rules")
	}
	for i, element := range elements {
		part := s.element(element, "on", "then", "reason", "disable_endpoint", "slow_down")
		if part == nil {
			return
		}
		rule := readRule(part)
		p.checkRule(part, rule, p.Failures[:i])
		p.Failures = append(p.Failures, rule)
	}
}

func readRule(part *section) Rule {
	part.need("on")
	part.need("then")
	rule := Rule{
		On:              part.conditions("on", nil, isFailure),
		Dead:            choice(part, "then", "retry", "retry", "dead") == "dead",
		DisableEndpoint: part.flag("disable_endpoint"),
		SlowDown:        part.flag("slow_down"),
	}
	if len(rule.On) == 0 {
		part.complain("on", "names nothing")
	}
	if !rule.Dead {
		part.forbid("where the delivery is retried", "reason")
		return rule
	}
	rule.Reason = choice(part, "reason", delivery.Rejected, delivery.Rejected, delivery.Gone, delivery.TooLarge)
	return rule
}

// checkRule refuses a rule that could never apply.
func (p *Policy) checkRule(part *section, rule Rule, before []Rule) {
	for _, c := range rule.On {
		if slices.Contains(p.Success, c) || isStatus(c) && c[1:] != "xx" && p.succeedsWith(c.status()) {
			part.complain("on", "%s is a success", c)
		}
		for _, earlier := range before {
			if slices.Contains(earlier.On, c) || slices.Contains(earlier.On, Any) {
				part.complain("on", "%s is already named by a rule above, and the first one applies", c)
			}
		}
	}
}

func (p *Policy) readCircuit(s *section) {
	p.Circuit.Kind = circuit.None
	if part := s.sub("circuit", "kind", "failures", "pause", "max_pause"); part != nil {
		readBreaker(part, &p.Circuit)
	}
	if part := s.sub("slow_down", "restore_after", "slower_than", "in_a_row"); part != nil {
		p.readSlowDown(part)
	}
	if part := s.sub("disable_endpoint", "failures", "after", "min_attempts", "warn_after"); part != nil {
		readDisable(part, &p.Circuit.Disable)
	}
	slows := slices.IndexFunc(p.Failures, func(rule Rule) bool { return rule.SlowDown })
	if slows >= 0 && p.Circuit.SlowDown.RestoreAfter == 0 {
		s.complain("failures", "rule %d slows endpoints down, but there is no section slow_down to say for how long", slows+1)
	}
}

func readBreaker(part *section, c *circuit.Settings) {
	part.need("kind")
	c.Kind = choice(part, "kind", circuit.None, circuit.Kinds...)
	if c.Kind == circuit.None {
		part.forbid("without a circuit", "failures", "pause", "max_pause")
		return
	}
	for _, name := range []string{"failures", "pause", "max_pause"} {
		part.need(name)
	}
	c.Failures = part.count("failures", 1, 1000)
	c.Pause = part.duration("pause", 0)
	c.MaxPause = part.duration("max_pause", 0)
	if c.Pause < time.Second {
		part.complain("pause", "must be at least 1s")
	}
	if c.MaxPause < c.Pause {
		part.complain("max_pause", "is below pause (%s)", short(c.Pause))
	}
}

func (p *Policy) readSlowDown(part *section) {
	part.need("restore_after")
	slow := &p.Circuit.SlowDown
	slow.RestoreAfter = part.count("restore_after", 0, 10_000)
	if !part.has("slower_than") {
		part.forbid("without slower_than", "in_a_row")
		return
	}
	part.need("in_a_row")
	slow.SlowerThan = part.duration("slower_than", 0)
	slow.InARow = part.count("in_a_row", 0, 10_000)
	if slow.SlowerThan <= 0 || slow.SlowerThan >= p.Deadline {
		part.complain("slower_than", "must be more than 0s and less than the deadline (%s)", short(p.Deadline))
	}
}

func readDisable(part *section, d *circuit.Disable) {
	d.Failures = part.count("failures", 0, 1_000_000)
	d.After = part.duration("after", 0)
	d.Warn = part.durations("warn_after")
	if d.Failures == 0 && d.After == 0 {
		part.complain("after", "or failures is missing: nothing would disable an endpoint")
	}
	if d.After == 0 {
		part.forbid("without after", "min_attempts", "warn_after")
	}
	d.MinAttempts = part.count("min_attempts", 1, 1_000_000)
	for i, threshold := range d.Warn {
		if threshold <= 0 || threshold >= d.After || i > 0 && threshold <= d.Warn[i-1] {
			part.complain("warn_after", "must be ascending and each less than after (%s)", short(d.After))
		}
	}
}
