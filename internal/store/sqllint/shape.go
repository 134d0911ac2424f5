package sqllint

import (
	"slices"
	"strings"
)

// Functions whose answer differs from row to row.
var volatile = []string{
	"clock_timestamp", "timeofday", "random", "random_normal", "setseed", "gen_random_uuid", "uuid_generate_v1",
	"uuid_generate_v4", "nextval", "currval", "lastval", "setval", "pg_sleep", "set_config",
}

// checkWords looks for what no statement of ours has.
func (l *lint) checkWords(tokens []token) {
	for i, t := range tokens {
		if t.kind != word {
			continue
		}
		switch {
		case strings.HasPrefix(t.text, "jsonb"):
			l.add(t.line, "%s: jsonb keeps neither \\u0000 nor big numbers nor the order of keys; bodies are bytea, settings json", t.text)
		case t.is("merge") && i+1 < len(tokens) && tokens[i+1].is("into"):
			l.add(t.line, "MERGE: Citus has it only for tables, not for parameters; use INSERT … ON CONFLICT or UPDATE … FROM")
		case t.is("grouping") && i+1 < len(tokens) && tokens[i+1].is("sets"), isCall(tokens, i, "rollup", "cube"):
			l.add(t.line, "%s: Citus has no GROUPING SETS; use several queries", t.text)
		case t.is("concurrently") && i > 3 && tokens[i-4].is("partition") && tokens[i-3].is(schemaName):
			l.add(t.line, "DETACH PARTITION … CONCURRENTLY: Citus has only the plain one")
		}
	}
}

// isCall says whether one of the functions is called at a position.
func isCall(tokens []token, at int, names ...string) bool {
	return at+1 < len(tokens) && tokens[at].isAny(names...) && tokens[at+1].is("(")
}

// checkStatement looks at the statement as a whole.
func (l *lint) checkStatement() {
	changes := false
	for _, q := range l.queries {
		changes = changes || q.isChange()
	}
	for _, q := range l.queries {
		for i, t := range q.tokens {
			switch {
			case changes && l.isTenants() && isCall(q.tokens, i, volatile...):
				l.add(t.line, "%s() in an UPDATE or DELETE: workers would disagree; use now(), or pass the value", t.text)
			case l.hasReferences() && isCall(q.tokens, i, "pg_notify"):
				l.add(t.line, "pg_notify beside a table: a worker would notify itself, and nobody listens there; make it a statement of its own")
			// Shared ones tell who is there; where nobody takes the exclusive one, nobody waits.
			case isHot(l.name) && t.kind == word && strings.Contains(t.text, "_advisory_") && !strings.HasSuffix(t.text, "_lock_shared"):
				l.add(t.line, "%s: a hot statement takes row locks; advisory locks are the coordinator's", t.text)
			}
		}
	}
}

// checkNames wants every table by its full name, known when the text is read.
func (l *lint) checkNames(q *query) {
	for _, r := range q.references() {
		switch line := q.at(r.at).line; {
		case r.table == "":
			l.add(line, "the table's name is not in the text: such a statement cannot be checked, write one per table")
		case !l.schema.tables[r.table]:
			l.add(line, "%s.%s: no migration makes such a table", schemaName, r.table)
		}
	}
	for _, t := range q.bareTables(l.schema, l.ctes()) {
		l.add(t.line, "%s: say %s.%[1]s, whatever the search path is", t.text, schemaName)
	}
}

// checkShape looks for habits that are bad in any query.
func (l *lint) checkShape(q *query) {
	for i, t := range q.tokens {
		if t.is("*") && q.at(i-1).isAny("select", "distinct", "all", "returning", ",", ".") {
			l.add(t.line, "*: name the columns, or a new one changes what is read")
		}
	}
	if q.cte != "" && q.verb == "insert" {
		l.add(q.line(), "WITH %s: an INSERT inside WITH makes Citus gather all rows first; make it a statement of its own", q.cte)
	}
}

// checkLocks keeps rows of shared tables unlocked: there, that locks all of it.
func (l *lint) checkLocks(q *query) {
	isLocking, of := q.locked()
	for _, r := range q.references() {
		if isLocking && !r.isTenants() && (len(of) == 0 || slices.Contains(of, r.alias)) {
			l.add(q.at(r.at).line, "FOR UPDATE of %s.%s: on Citus a copied table is locked as a whole; use an advisory lock", schemaName, r.table)
		}
	}
}
