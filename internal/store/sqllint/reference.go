package sqllint

import "slices"

// reference is a table that a query names.
type reference struct {
	table    string
	alias    string
	at       int  // where in the query
	end      int  // what comes after it and its alias
	isTarget bool // of an INSERT: written to, not read
}

// isTenants says whether the rules of distributed tables hold for it. A table
// without a name in the text is another rule's affair.
func (r reference) isTenants() bool { return r.table != "" && !isShared(r.table) }

// Words that can follow a table, and so are no alias of it.
var afterTable = []string{
	"as", "cross", "default", "do", "except", "fetch", "for", "full", "group", "having", "inner", "intersect", "join",
	"lateral", "left", "limit", "natural", "offset", "on", "order", "overriding", "returning", "right", "select", "set",
	"tablesample", "union", "using", "values", "where", "window", "when",
}

// references finds the tables by their schema's name: a rule of its own says
// that none goes without.
func (q *query) references() []reference {
	var found []reference
	for i := range q.tokens {
		if !q.at(i).is(schemaName) || !q.at(i+1).is(".") {
			continue
		}
		isTarget := q.at(i - 1).is("into")
		isColumn := q.at(i + 3).is(".")
		isCall := q.at(i+3).is("(") && !isTarget
		if !isColumn && !isCall {
			found = append(found, q.reference(i, isTarget))
		}
	}
	return found
}

func (q *query) reference(at int, isTarget bool) reference {
	r := reference{at: at, end: at + 3, isTarget: isTarget && q.verb == "insert"}
	if name := q.at(at + 2); name.isName() {
		r.table, r.alias = name.text, name.text
	}
	if q.at(r.end).is("as") {
		r.end++
	} else if slices.Contains(afterTable, q.at(r.end).text) {
		return r
	}
	if q.at(r.end).isName() {
		r.alias = q.at(r.end).text
		r.end++
	}
	return r
}

// bareTables are names of our tables in places of tables, without the schema.
func (q *query) bareTables(s *Schema, ctes []string) []token {
	var found []token
	for i, t := range q.tokens {
		isPlace := q.at(i-1).isAny("from", "join", "into", "update", "using", "only")
		isBare := t.isName() && !q.at(i+1).isAny(".", "(") || q.at(i-1).is("into")
		if isPlace && isBare && s.tables[t.text] && !slices.Contains(ctes, t.text) {
			found = append(found, t)
		}
	}
	return found
}
