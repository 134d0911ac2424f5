package egress

import (
	"encoding/json"
	"fmt"
	"net/netip"
)

// Outcome is what becomes of a destination.
type Outcome string

// The outcomes of a check.
const (
	Allow                Outcome = "allow"
	RejectAtRegistration Outcome = "reject_at_registration"
	RejectAtDelivery     Outcome = "reject_at_delivery"
)

// Verdict explains what Malote would do with a destination.
type Verdict struct {
	Verdict    Outcome `json:"verdict"`
	Reason     string  `json:"reason"`     // the rule's name and a sentence
	Normalized string  `json:"normalized"` // the URL as stored; "" if refused at registration
}

// Record is one destination to judge.
type Record struct {
	URL        string  `json:"url"`
	ResolvesTo Lookups `json:"resolves_to"`
	Scenario   string  `json:"scenario"` // what happens at delivery, in words
}

// Lookups holds the answer of each look-up in turn, addresses as text. nil means that
// nothing is known about the name.
type Lookups [][]string

// UnmarshalJSON reads a list of addresses, which is one answer, or a list of
// such lists.
func (l *Lookups) UnmarshalJSON(text []byte) error {
	var one []string
	if err := json.Unmarshal(text, &one); err == nil {
		*l = nil
		if one != nil {
			*l = Lookups{one}
		}
		return nil
	}
	var several [][]string
	if err := json.Unmarshal(text, &several); err != nil {
		return fmt.Errorf("resolves_to must be a list of addresses, or a list of such lists: %w", err)
	}
	*l = several
	return nil
}

// Checker tells what would happen to a destination, without touching the network.
type Checker struct {
	Guard *Guard
}

// CheckJSON judges a [Record] given as a JSON object. It fails only when the
// text is no such object.
func (c Checker) CheckJSON(text []byte) (Verdict, error) {
	var record Record
	if err := json.Unmarshal(text, &record); err != nil {
		return Verdict{}, fmt.Errorf("reading the record: %w", err)
	}
	return c.Check(record), nil
}

// Check judges a record: its URL as at registration, then every answer as the
// dialer would see it, then what the scenario says the delivery meets.
func (c Checker) Check(record Record) Verdict {
	target, host, err := c.Guard.read(record.URL)
	if err != nil {
		return Verdict{Verdict: RejectAtRegistration, Reason: reasonOf(err)}
	}
	verdict := Verdict{Verdict: Allow, Reason: "allowed: no rule refuses it", Normalized: target.String()}
	err = c.checkLookups(host, record.ResolvesTo)
	if err == nil {
		err = c.checkScenario(record.Scenario)
	}
	if err != nil {
		verdict.Verdict, verdict.Reason = RejectAtDelivery, reasonOf(err)
	}
	return verdict
}

func reasonOf(err error) string { return fmt.Sprintf("%s: %s", RuleOf(err), err) }

func (c Checker) checkLookups(host destination, lookups Lookups) error {
	if c.Guard.withoutLookup(host) != nil {
		return nil
	}
	for _, lookup := range lookups {
		answer := make([]netip.Addr, 0, len(lookup))
		for _, text := range lookup {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				return refuse(RuleIPLiteral, "the answer %q for %s is not an IP address: write it like 93.184.216.34", text, host.name)
			}
			answer = append(answer, addr)
		}
		if _, err := c.Guard.checkAnswer(host.name, answer); err != nil {
			return err
		}
	}
	return nil
}
