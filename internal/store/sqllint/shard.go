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

// spans finds out, per alias, what conditions say about shards: a value, another
// table's shard, a row-wise comparison that begins with the shard, or the
// placeholder that becomes a condition where it is needed.
func (q *query) spans(references []reference) map[string]span {
	spans := make(map[string]span)
	for _, r := range references {
		spans[r.alias] = all
	}
	joined := make(map[string][]string)
	for i := range q.tokens {
		if t := q.at(i); t.kind == placeholder {
			spans[t.text] = one
			continue
		}
		if !q.isShard(i) {
			continue
		}
		alias := q.at(i).text
		if q.isShard(i+4) && q.at(i+3).is("=") {
			other := q.at(i + 4).text
			joined[alias], joined[other] = append(joined[alias], other), append(joined[other], alias)
			continue
		}
		spans[alias] = max(spans[alias], q.condition(i))
	}
	settle(spans, references, joined)
	return spans
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
func settle(spans map[string]span, references []reference, joined map[string][]string) {
	isOurs := func(alias string) bool {
		return slices.ContainsFunc(references, func(r reference) bool { return r.alias == alias })
	}
	for range references {
		for _, r := range references {
			for _, other := range joined[r.alias] {
				known := spans[other]
				if !isOurs(other) {
					known = one
				}
				spans[r.alias] = max(spans[r.alias], known)
			}
		}
	}
}

// checkShards holds a query to the shard of each table that it reads or changes.
func (l *lint) checkShards(q *query) {
	references := q.references()
	spans := q.spans(references)
	isLocking, _ := q.locked()
	for _, r := range references {
		if r.isTarget || !r.isTenants() {
			continue
		}
		line, what := q.at(r.at).line, fmt.Sprintf("%s.%s %s", schemaName, r.table, r.alias)
		switch found := spans[r.alias]; {
		case found == one:
		case isLocking:
			l.add(line, "%s is locked over several shards at once, which Citus refuses: say %s.shard = …, or leave the place /*{shard %[2]s}*/", what, r.alias)
		case found == several && !q.isChange():
		case isHot(l.name):
			l.add(line, "%s: say %s.shard = … (a statement of the hot path may not run over all shards)", what, r.alias)
		case !meansAllShards(l.comment):
			l.add(line, `%s: say %s.shard = …, or in a comment that "all shards" are meant`, what, r.alias)
		}
	}
}
