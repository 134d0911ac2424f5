package sqllint

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// span is how many shards a query reads of a table.
type span uint8

const (
	all     span = iota // nothing says which
	several             // a list: = ANY, IN
	one                 // one per row, or one
)

var hotPrefixes = []string{"claim_", "complete_", "insert_", "publish_", "wake_"}

// isHot says whether a statement runs for every event, by the name of its file.
func isHot(name string) bool {
	return slices.ContainsFunc(hotPrefixes, func(prefix string) bool { return strings.HasPrefix(path.Base(name), prefix) })
}

// meansAllShards says whether a comment declares it.
func meansAllShards(comment string) bool {
	return strings.Contains(strings.Join(strings.Fields(strings.ToLower(comment)), " "), "all shards")
}

// sharding is what a query says about the shards of its tables, by alias.
type sharding struct {
	spans  map[string]span
	joined map[string][]string // whose shard is said to be equal
}

// sharding reads the conditions: a value, another table's shard, a row-wise
// comparison that begins with the shard, or the placeholder that becomes a
// condition where it is needed.
func (q *query) sharding(references []reference) sharding {
	s := sharding{spans: make(map[string]span), joined: make(map[string][]string)}
	for _, r := range references {
		s.spans[r.alias] = all
	}
	for i := range q.tokens {
		alias, other := q.at(i).text, q.at(i+4).text
		known, isOurs := s.spans[alias]
		switch {
		case q.isShard(i) && q.at(i+3).is("=") && q.isShard(i+4):
			s.joined[alias], s.joined[other] = append(s.joined[alias], other), append(s.joined[other], alias)
		case isOurs && q.at(i).kind == placeholder:
			s.spans[alias] = one
		case isOurs && q.isShard(i):
			s.spans[alias] = max(known, q.condition(i))
		}
	}
	s.settle(references)
	return s
}

// isShard says whether alias.shard stands there.
func (q *query) isShard(i int) bool {
	return q.at(i).isName() && q.at(i+1).is(".") && q.at(i+2).is("shard")
}

// condition is what the alias.shard at a position is compared with.
func (q *query) condition(i int) span {
	operator := i + 3
	if q.at(i-1).is("(") && q.at(i+3).is(",") { // the first of a row
		operator = closing(q.tokens, i-1) + 1
		if q.at(operator).isAny("<", "<=", ">", ">=") {
			return one
		}
	}
	switch {
	case q.at(operator).is("in"), q.at(operator).is("=") && q.at(operator+1).isAny("any", "some", "all"):
		return several
	case q.at(operator).is("="):
		return one
	}
	return all
}

// settle hands what is known about a table on to those joined to it by shard. A
// partner that is none of the query's tables is one from outside, a CTE or a
// list of parameters: whoever made those rows has said which shard.
func (s sharding) settle(references []reference) {
	for range references {
		for _, r := range references {
			for _, other := range s.joined[r.alias] {
				known, isOurs := s.spans[other]
				if !isOurs {
					known = one
				}
				s.spans[r.alias] = max(s.spans[r.alias], known)
			}
		}
	}
}

// isTied says whether two tables are joined by their shards, perhaps over others.
func (s sharding) isTied(from, to string) bool {
	reached := []string{from}
	for i := 0; i < len(reached); i++ {
		for _, next := range s.joined[reached[i]] {
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
		}
	}
	return slices.Contains(reached, to)
}

// isCorrelated says whether a query uses columns of tenant-owned tables that are
// named around it.
func (q *query) isCorrelated(own []reference) bool {
	for around := q.parent; around != nil; around = around.parent {
		for _, r := range around.references() {
			isHidden := slices.ContainsFunc(own, func(o reference) bool { return o.alias == r.alias })
			if r.isTenants() && !isHidden && q.has(r.alias, ".") {
				return true
			}
		}
	}
	return false
}

// checkShards holds a query to the shard of each table that it reads or changes.
func (l *lint) checkShards(q *query) {
	references := slices.DeleteFunc(q.references(), func(r reference) bool { return r.isTarget || !r.isTenants() })
	sharding := q.sharding(references)
	isLocking, _ := q.locked()
	isCorrelated := q.isCorrelated(references)
	for _, r := range references {
		line, what := q.at(r.at).line, fmt.Sprintf("%s.%s %s", schemaName, r.table, r.alias)
		switch found := sharding.spans[r.alias]; {
		case found == one:
		case isLocking:
			l.add(line, "%s is locked over several shards at once, which Citus refuses: say %s.shard = …, or leave the place /*{shard %[2]s}*/", what, r.alias)
		case found == several && !q.isChange():
		case isHot(l.name):
			l.add(line, "%s: say %s.shard = … (a statement of the hot path may not run over all shards)", what, r.alias)
		case !meansAllShards(l.comment):
			l.add(line, `%s: say %s.shard = …, or in a comment that "all shards" are meant`, what, r.alias)
		case isCorrelated || !sharding.isTied(references[0].alias, r.alias):
			l.add(line, "%s: join it by its shard; all shards may be read, but each only with its own", what)
		}
	}
}
