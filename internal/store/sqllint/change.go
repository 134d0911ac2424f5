package sqllint

import "slices"

// The time as the transaction has it: the same all along, but not immutable.
var transactionTime = []string{
	"now", "transaction_timestamp", "statement_timestamp", "current_timestamp", "current_date", "current_time",
	"localtimestamp", "localtime",
}

// Functions that depend on the time zone when they are given a timestamptz.
var zoned = []string{"age", "date_part", "date_trunc", "extract", "to_char"}

// checkChange holds an UPDATE or DELETE to what Citus can send to workers. The
// sub-queries that pick the rows are none of it: what is not allowed here is
// computed there, or in Go.
func (l *lint) checkChange(q *query) {
	if !q.isChange() {
		return
	}
	for i, t := range q.tokens {
		switch {
		case t.is("case"), isCall(q.tokens, i, "coalesce"):
			if inside := q.tokens[i:q.endOf(i)]; hasTime(inside) {
				l.add(t.line, "%s with now() in an UPDATE or DELETE: compute it in the query that picks the rows, or in Go", t.text)
			}
		case isCall(q.tokens, i, zoned...):
			if inside := q.tokens[i:q.endOf(i)]; l.hasTimestamp(inside) {
				l.add(t.line, "%s of a timestamptz in an UPDATE or DELETE is not immutable: compute it in the query that picks the rows", t.text)
			}
		}
	}
	l.checkIntervals(q.tokens)
	if q.verb == "update" {
		l.checkShardIsKept(q)
	}
}

// endOf is where the CASE or the call at a position ends.
func (q *query) endOf(at int) int {
	if !q.at(at).is("case") {
		return closing(q.tokens, at+1)
	}
	depth := 0
	for i := at; i < len(q.tokens); i++ {
		switch {
		case q.at(i).is("case"):
			depth++
		case q.at(i).is("end"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(q.tokens)
}

func hasTime(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.isAny(transactionTime...) })
}

func (l *lint) hasTimestamp(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.isName() && l.schema.timestamps[t.text] })
}

// checkIntervals finds a timestamptz column plus or minus an interval: how long
// a day is depends on the time zone.
func (l *lint) checkIntervals(tokens []token) {
	part := &query{tokens: tokens}
	for i, t := range tokens {
		if !t.isName() || !l.schema.timestamps[t.text] {
			continue
		}
		begin := i // of the column with its alias
		if part.at(i - 1).is(".") {
			begin = i - 2
		}
		after := part.at(i+1).isAny("+", "-") && part.isInterval(i+2)
		before := part.at(begin-1).is("+") && part.endsInterval(begin-2)
		if after || before {
			l.add(t.line, "%s plus or minus an interval in an UPDATE, DELETE or ON CONFLICT is not immutable: compute it in the query that picks the rows, or in Go", t.text)
		}
	}
}

// isInterval says whether an interval begins at a position.
func (q *query) isInterval(i int) bool {
	if q.at(i).isAny("interval", "make_interval") {
		return true
	}
	end := i + 1
	for q.at(end).is(".") { // alias.column
		end += 2
	}
	if q.at(i).is("(") {
		end = closing(q.tokens, i) + 1
	}
	return q.at(end).is("::") && q.at(end+1).is("interval")
}

// endsInterval says whether an interval ends at a position.
func (q *query) endsInterval(i int) bool {
	switch {
	case q.at(i).is("interval"):
		return q.at(i - 1).is("::")
	case q.at(i).kind == text:
		return q.at(i - 1).is("interval")
	case q.at(i).is(")"):
		return q.at(opening(q.tokens, i) - 1).is("make_interval")
	}
	return false
}

// checkShardIsKept refuses SET shard = …: a row never moves.
func (l *lint) checkShardIsKept(q *query) {
	set := q.index(0, "set")
	for i := set + 1; i < len(q.tokens) && !q.at(i).isAny("from", "where", "returning"); i++ {
		if q.at(i).is("shard") && q.at(i-1).isAny("set", ",", "(") && q.at(i+1).isAny("=", ",", ")") {
			l.add(q.at(i).line, "SET shard: a row's shard never changes")
		}
	}
}
