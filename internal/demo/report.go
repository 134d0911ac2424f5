package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/malotehq/malote/internal/delivery"
)

// shownFaults is how many faults of a kind are printed; the JSON form has all.
const shownFaults = 5

// text is the summary for people.
func (s *Summary) text(p palette) string {
	var lines []string
	if s.Interrupted {
		return s.interruptedText(p)
	}
	section := func(title string, rows []string) {
		lines = append(lines, "", p.paint(strong, title))
		for _, row := range rows {
			lines = append(lines, "  "+row)
		}
	}
	section("What was published", []string{s.publishedLine(), fmt.Sprintf("%.0f events a second, everything on one machine: %s", s.Events.PerSecond, s.Machine)})
	section(fmt.Sprintf("What became of %s deliveries, after %s attempts", grouped(s.Deliveries.Total), grouped(s.Deliveries.Attempts)), s.stateRows())
	if len(s.Explained) > 0 {
		section("Not delivered, and why", s.explainedRows())
	}
	section("What the receivers saw", s.receivedRows())
	section(fmt.Sprintf("Healthy endpoints, from publish to receipt (p99 of each at most %s)", ms(s.Healthy.Limit)), s.healthyRows())
	if len(s.Faults) > 0 {
		section("What is wrong", s.faultRows())
	}
	verdict := p.paint(good, "OK: "+s.Verdict+".")
	if !s.OK {
		verdict = p.paint(bad, "FAILED: "+s.Verdict+".")
	}
	return strings.Join(append(lines, "", verdict, ""), "\n")
}

func (s *Summary) interruptedText(p palette) string {
	return strings.Join([]string{
		"", p.paint(careful, "Interrupted: "+s.publishedLine()+"."),
		fmt.Sprintf("The receivers saw %s and accepted %s of them. Nothing was accounted for.",
			plural(s.Received.Requests, "request"), grouped(s.Received.Accepted)), "",
	}, "\n")
}

func (s *Summary) publishedLine() string {
	return fmt.Sprintf("%s events (%s) in %s, %s of them batches, for %d endpoints of %d tenants; %s answered as duplicates",
		grouped(s.Events.Published), bytesShown(s.Events.Bytes), plural(s.Events.Requests, "request"), grouped(s.Events.Batches),
		s.Endpoints, s.Tenants, grouped(s.Events.Repeats))
}

func (s *Summary) stateRows() []string {
	rows := [][]string{{"STATE", "COUNT", "WHY"}}
	for _, state := range delivery.States {
		count := s.Deliveries.ByState[state]
		if count == 0 {
			continue
		}
		var why []string
		reasons := s.Deliveries.ByReason[state]
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			why = append(why, fmt.Sprintf("%s: %s", reason, grouped(reasons[reason])))
		}
		rows = append(rows, []string{string(state), grouped(count), strings.Join(why, ", ")})
	}
	return table(rows, 1)
}

func (s *Summary) explainedRows() []string {
	rows := [][]string{{"ENDPOINT", "COUNT", "STATE"}}
	for _, group := range s.Explained {
		endpoint, example := group.Endpoint, group.Example
		if endpoint == "" {
			endpoint = "(no endpoint)"
		}
		if group.Count > 1 && group.State == delivery.Pending {
			example += " (the next one)"
		}
		if group.State == delivery.Superseded {
			example = "superseded: a newer event has the same coalescing key"
		}
		rows = append(rows, []string{endpoint, grouped(group.Count), example})
	}
	return table(rows, 1)
}

func (s *Summary) receivedRows() []string {
	r := s.Received
	return table([][]string{
		{"REQUESTS", "DIFFERENT IDS", "ACCEPTED", "RETRIES", "DUPLICATES", "BAD SIGNATURES", "BYTES"},
		{grouped(r.Requests), grouped(r.Distinct), grouped(r.Accepted), grouped(r.Repeated), grouped(r.Duplicates),
			grouped(r.BadSignatures), bytesShown(r.Bytes)},
	}, 0, 1, 2, 3, 4, 5, 6)
}

func (s *Summary) healthyRows() []string {
	h := s.Healthy
	return table([][]string{
		{"ENDPOINTS", "DELIVERIES", "P50", "P95", "P99", "WORST P99", "OF"},
		{grouped(h.Endpoints), grouped(h.Deliveries), ms(h.P50), ms(h.P95), ms(h.P99), ms(h.WorstP99), h.WorstEndpoint},
	}, 0, 1, 2, 3, 4, 5)
}

// faultRows shows the first faults of every kind: a platform that fails fails
// often.
func (s *Summary) faultRows() []string {
	rows := [][]string{{"FAULT", "WHERE", "WHAT"}}
	counts := make(map[FaultKind]int)
	for _, f := range s.Faults {
		if counts[f.Kind]++; counts[f.Kind] > shownFaults {
			continue
		}
		where := slices.DeleteFunc([]string{f.Endpoint, f.Delivery, f.Event}, func(s string) bool { return s == "" })
		rows = append(rows, []string{string(f.Kind), strings.Join(where, " "), f.Detail})
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if more := counts[kind] - shownFaults; more > 0 {
			rows = append(rows, []string{string(kind), "", fmt.Sprintf("… and %s more", grouped(more))})
		}
	}
	return table(rows)
}
