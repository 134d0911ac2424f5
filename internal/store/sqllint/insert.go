package sqllint

import "slices"

// checkInsert holds an INSERT to what Citus can route, and its ON CONFLICT to
// what workers compute alike.
func (l *lint) checkInsert(q *query) {
	if q.verb != "insert" {
		return
	}
	references := q.references()
	target := slices.IndexFunc(references, func(r reference) bool { return r.isTarget })
	if target < 0 {
		return
	}
	into := references[target]
	line := q.at(into.at).line
	if into.isTenants() && !(q.at(into.end).is("(") && q.at(into.end+1).is("shard")) {
		l.add(line, "INSERT INTO %s.%s: name the columns, shard first", schemaName, into.table)
	}
	isNamed := into.end > into.at+3
	if q.has("select") && q.has("returning") && !isNamed {
		l.add(line, "INSERT INTO %s.%s … SELECT … RETURNING: give the table an alias, Citus needs it", schemaName, into.table)
	}
	if into.isTenants() {
		l.checkConflict(q)
	}
}

func (l *lint) checkConflict(q *query) {
	conflict := q.index(0, "on", "conflict")
	if conflict < 0 {
		return
	}
	if q.at(conflict+2).is("(") && !q.at(conflict+3).is("shard") {
		l.add(q.at(conflict).line, "ON CONFLICT: a unique constraint begins with shard")
	}
	update := q.index(conflict, "do", "update")
	if update < 0 {
		return
	}
	end := q.index(update, "returning")
	if end < 0 {
		end = len(q.tokens)
	}
	action := q.tokens[update:end]
	for i, t := range action {
		if t.isAny(transactionTime...) || isCall(action, i, volatile...) {
			l.add(t.line, "%s in ON CONFLICT DO UPDATE: it must be immutable; put the value into the row and take it from excluded", t.text)
		}
		if isCall(action, i, zoned...) {
			l.add(t.line, "%s in ON CONFLICT DO UPDATE: it must be immutable; compute it in Go", t.text)
		}
	}
	l.checkIntervals(action)
}
