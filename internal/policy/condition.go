package policy

import "github.com/malotehq/malote/internal/delivery"

// Condition names outcomes of an attempt: a status ("410"), a class of them
// ("4xx"), an error code ("timeout"), or one of the words below.
type Condition string

// The words.
const (
	Any       Condition = "any"        // every outcome
	AnyStatus Condition = "any_status" // every complete answer
	AnyError  Condition = "any_error"  // every attempt that got no complete answer
)

// matches says whether the condition names the outcome. A status that is not a
// success is matched by the status even if its body broke off; a success
// status whose body did is matched by the error.
func (c Condition) matches(status int, failure delivery.ErrorCode) bool {
	byStatus := failure == delivery.HTTPStatus
	switch c {
	case Any:
		return true
	case AnyStatus:
		return byStatus
	case AnyError:
		return !byStatus
	}
	if byStatus {
		return c.matchesStatus(status)
	}
	return string(c) == string(failure)
}

func (c Condition) matchesStatus(status int) bool {
	if len(c) != 3 || status < 100 || status > 999 || int(c[0]-'0') != status/100 {
		return false
	}
	if c[1:] == "xx" {
		return true
	}
	return int(c[1]-'0') == status/10%10 && int(c[2]-'0') == status%10
}

// status is the number of a condition that is a single status.
func (c Condition) status() int {
	return int(c[0]-'0')*100 + int(c[1]-'0')*10 + int(c[2]-'0')
}

func anyMatches(conditions []Condition, status int, failure delivery.ErrorCode) bool {
	for _, condition := range conditions {
		if condition.matches(status, failure) {
			return true
		}
	}
	return false
}

// Succeeds says whether an outcome is a success under the policy.
func (p *Policy) Succeeds(outcome delivery.Outcome) bool {
	return p.errorCode(outcome) == ""
}

// errorCode is what the outcome failed by, or "" if it succeeded.
func (p *Policy) errorCode(outcome delivery.Outcome) delivery.ErrorCode {
	success := p.succeedsWith(outcome.Status)
	switch outcome.Error {
	case "", delivery.HTTPStatus:
		if success {
			return ""
		}
		return delivery.HTTPStatus
	case delivery.ResponseTruncated, delivery.Reset, delivery.Protocol:
		// With a status these say that the rest of the answer broke off.
		if success && !p.Response.BrokenBodyFails {
			return ""
		}
	case delivery.SMTPDeferred, delivery.SMTPRejected:
		return outcome.Error // its status is none of HTTP's
	}
	if outcome.Status >= 200 && !success {
		return delivery.HTTPStatus
	}
	return outcome.Error
}

func (p *Policy) succeedsWith(status int) bool {
	for _, condition := range p.Success {
		if condition.matchesStatus(status) {
			return true
		}
	}
	return false
}

// rule is the first that names the outcome, or nil.
func (p *Policy) rule(status int, failure delivery.ErrorCode) *Rule {
	for i := range p.Failures {
		if anyMatches(p.Failures[i].On, status, failure) {
			return &p.Failures[i]
		}
	}
	return nil
}
