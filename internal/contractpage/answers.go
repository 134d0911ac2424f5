package contractpage

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// The statuses that an attempt can end with. 1xx is no answer yet.
const (
	firstClass = 2
	lastClass  = 5
	classSize  = 100
)

// answers are statuses of the same verdict.
type answers struct {
	verdict  verdict
	statuses []string // "410" or "415–417": those that differ from the rest of their class
	classes  []class
}

// class is a hundred statuses, or what remains of them.
type class struct {
	name  string   // "4xx"
	rest  bool     // there are others of the class in other rows
	among []string // some of them that people know
}

// wellKnown are the statuses that people look for in such a table.
var wellKnown = []int{301, 302, 307, 400, 401, 403, 404, 408, 409, 410, 413, 422, 429, 500, 502, 503, 504}

// answersOf judges every status there is.
func answersOf(p *policy.Policy) []answers {
	var rows []answers
	for hundred := firstClass; hundred <= lastClass; hundred++ {
		rows = addClass(rows, hundred, verdictsOf(p, hundred))
	}
	return sorted(rows, func(row answers) verdict { return row.verdict })
}

func verdictsOf(p *policy.Policy, hundred int) []verdict {
	verdicts := make([]verdict, classSize)
	for i := range verdicts {
		verdicts[i] = ask(p, delivery.Outcome{Status: hundred*classSize + i})
	}
	return verdicts
}

// addClass takes the commonest verdict for that of the class, and the statuses
// with another one for exceptions.
func addClass(rows []answers, hundred int, verdicts []verdict) []answers {
	count := map[verdict]int{}
	usual := verdicts[0]
	for _, v := range verdicts {
		count[v]++
		if count[v] > count[usual] {
			usual = v
		}
	}
	rest := class{name: strconv.Itoa(hundred) + "xx", rest: count[usual] < classSize}
	for _, status := range wellKnown {
		if status/classSize == hundred && verdicts[status%classSize] == usual {
			rest.among = append(rest.among, strconv.Itoa(status))
		}
	}
	row := rowFor(&rows, usual)
	row.classes = append(row.classes, rest)
	for from := 0; from < classSize; {
		to := from
		for to+1 < classSize && verdicts[to+1] == verdicts[from] {
			to++
		}
		if verdicts[from] != usual {
			row := rowFor(&rows, verdicts[from])
			row.statuses = append(row.statuses, runOf(hundred*classSize+from, hundred*classSize+to)...)
		}
		from = to + 1
	}
	return rows
}

func rowFor(rows *[]answers, v verdict) *answers {
	for i := range *rows {
		if (*rows)[i].verdict == v {
			return &(*rows)[i]
		}
	}
	*rows = append(*rows, answers{verdict: v})
	return &(*rows)[len(*rows)-1]
}

// runOf writes neighbouring statuses: up to two one by one.
func runOf(from, to int) []string {
	switch to - from {
	case 0:
		return []string{strconv.Itoa(from)}
	case 1:
		return []string{strconv.Itoa(from), strconv.Itoa(to)}
	default:
		return []string{fmt.Sprintf("%d–%d", from, to)}
	}
}

// sorted orders rows by verdict; those that are equal in that stay as they are.
func sorted[T any](rows []T, verdictOf func(T) verdict) []T {
	slices.SortStableFunc(rows, func(a, b T) int { return verdictOf(a).before(verdictOf(b)) })
	return rows
}

// successStatus is the lowest status that succeeds; every policy has one.
func successStatus(p *policy.Policy) int {
	for status := firstClass * classSize; status < (lastClass+1)*classSize; status++ {
		if p.Succeeds(delivery.Outcome{Status: status}) {
			return status
		}
	}
	return firstClass * classSize
}
