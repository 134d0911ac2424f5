package policy

import (
	"regexp"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// leaseMargin is how much longer than the deadline a lease must last: time to
// record the outcome (design rule I5).
const leaseMargin = 10 * time.Second

// The bounds of rate_limit: one attempt in seventeen minutes, and more than a lane
// of one endpoint comes near.
const (
	leastPerSecond = 0.001
	mostPerSecond  = 10_000
)

var validName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Parse reads a policy. Every error is a *ParseError. Fields that are left out
// have the default that the code below names; unknown, repeated and
// contradictory ones are refused.
func Parse(source []byte) (*Policy, error) {
	mapping, err := root(source)
	if err != nil {
		return nil, err
	}
	r := &reader{}
	s := r.section("", mapping, nil, "name", "description",
		"deadline", "lease", "max_in_flight", "rate_limit", "fifo", "success", "response", "schedule", "retry_after", "give_up",
		"failures", "circuit", "slow_down", "disable_endpoint", "headers", "signature", "envelope",
		"redeliver", "replay_on_enable", "record_skipped")
	p := &Policy{}
	p.readIdentity(s)
	p.readRequest(s)
	p.readResponse(s)
	p.readSchedule(s)
	p.readRetryAfter(s)
	p.readFailures(s)
	p.readCircuit(s)
	p.readHeaders(s)
	p.readEnvelope(s)
	p.readRecords(s)
	p.readGiveUp(s) // last: it computes the timetable of all that was read
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

func (p *Policy) readIdentity(s *section) {
	s.need("name")
	p.Name = s.text("name", "")
	if !validName.MatchString(p.Name) {
		s.complain("name", "must be 1 to 64 characters of a-z, 0-9 and -")
	}
	p.Description = s.text("description", "")
	if len(p.Description) > 1000 {
		s.complain("description", "must be at most 1000 bytes long")
	}
}

func (p *Policy) readRequest(s *section) {
	s.need("deadline")
	p.Deadline = s.duration("deadline", 15*time.Second)
	if p.Deadline < 100*time.Millisecond || p.Deadline > 5*time.Minute {
		s.complain("deadline", "must be between 100ms and 5m")
	}
	p.Lease = s.duration("lease", time.Minute)
	if p.Lease <= p.Deadline+leaseMargin {
		s.complain("lease", "must be longer than the deadline and %s (%s), or a slow answer is taken for a dead worker",
			short(leaseMargin), short(p.Deadline+leaseMargin))
	}
	if p.Lease%time.Second != 0 {
		s.complain("lease", "must be in whole seconds")
	}
	if p.Lease > time.Hour {
		s.complain("lease", "must be at most 1h: so long does a dead worker keep its deliveries")
	}
	p.MaxInFlight = s.count("max_in_flight", 10, 1000)
	if p.RateLimit = s.number("rate_limit", 0, mostPerSecond); s.has("rate_limit") && p.RateLimit < leastPerSecond {
		s.complain("rate_limit", "must be at least %v attempts a second", leastPerSecond)
	}
	p.FIFO = s.flag("fifo")
}

func (p *Policy) readResponse(s *section) {
	p.Success = s.conditions("success", []Condition{"2xx"}, isStatus)
	for _, c := range p.Success {
		if c[0] == '1' || c[0] == '3' {
			s.complain("success", "%s cannot be a success: redirects and interim answers never are", c)
		}
	}
	if len(p.Success) == 0 {
		s.complain("success", "names no status, so that nothing could ever be delivered")
	}
	p.Response = Response{ReadLimit: 64 << 10, KeepFailed: 1 << 10}
	body := s.sub("response", "read_limit", "keep_failed", "broken_body")
	if body == nil {
		return
	}
	p.Response.ReadLimit = body.size("read_limit", p.Response.ReadLimit)
	p.Response.KeepFailed = body.size("keep_failed", min(p.Response.KeepFailed, p.Response.ReadLimit))
	if p.Response.KeepFailed > p.Response.ReadLimit {
		body.complain("keep_failed", "is more than read_limit reads")
	}
	p.Response.BrokenBodyFails = choice(body, "broken_body", "success", "success", "failure") == "failure"
	if p.Response.BrokenBodyFails && p.Response.ReadLimit == 0 {
		body.complain("broken_body", "cannot be noticed: read_limit is 0, so that the body is not read")
	}
}

func (p *Policy) readRecords(s *section) {
	p.Redeliver = choices(s, "redeliver", []delivery.State{delivery.Dead},
		slices.DeleteFunc(slices.Clone(delivery.States), delivery.State.Open)...)
	p.ReplayOnEnable = s.flag("replay_on_enable")
	if p.ReplayOnEnable && !p.Replayable(delivery.Dead) {
		s.complain("replay_on_enable", "replays dead deliveries, which redeliver does not allow")
	}
	p.RecordSkips = choices(s, "record_skipped", []delivery.Reason{delivery.NoEndpoint, delivery.EndpointDisabled},
		delivery.NoEndpoint, delivery.TypeNotSubscribed, delivery.EndpointDisabled, delivery.Filtered)
}
