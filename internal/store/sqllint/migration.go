package sqllint

import "strings"

// Migration checks a file of migrations against the rules for tables, and what
// it does with rows against those for queries.
func (s *Schema) Migration(source Source) []Finding {
	statements, err := split(source.SQL)
	if err != nil {
		return []Finding{{Name: source.Name, Message: err.Error()}}
	}
	var findings []Finding
	for _, statement := range statements {
		findings = append(findings, s.check(source, statement)...)
		l := &lint{name: source.Name, schema: s}
		l.checkDefinition(&query{tokens: statement.tokens})
		findings = append(findings, l.findings...)
	}
	return findings
}

// checkDefinition looks at what a statement creates.
func (l *lint) checkDefinition(q *query) {
	if name, list := createdTable(q.tokens); name != "" {
		l.checkTable(q, name, list)
		return
	}
	switch {
	case q.at(0).is("create") && (q.at(1).is("trigger") || q.at(1).is("constraint") || q.at(3).is("trigger")):
		l.add(q.line(), "CREATE TRIGGER: distributed tables have none; do it in the statement that changes the row")
	case q.at(0).is("create") && q.at(1).is("domain"):
		l.add(q.line(), "CREATE DOMAIN: use the plain type with a CHECK")
	case q.at(0).is("create") && q.at(1).is("unique"):
		l.checkUniqueIndex(q)
	case q.at(0).is("alter") && q.at(1).is("table"):
		l.checkAlteration(q)
	}
}

func (l *lint) checkTable(q *query, name string, list int) {
	if q.has("partition", "of") {
		return // its parent's constraints are its own
	}
	hasKey := false
	for i, item := range items(q.tokens, list) {
		part := &query{tokens: item}
		hasKey = hasKey || part.has("primary", "key")
		if isShared(name) {
			continue
		}
		if i == 0 && !isPlainShard(item) {
			l.add(part.line(), "%s.%s: its first column is shard smallint NOT NULL, plain; or say in shared why it belongs to no tenant", schemaName, name)
		}
		l.checkConstraint(part, name)
	}
	if !hasKey {
		l.add(q.line(), "%s.%s has no PRIMARY KEY", schemaName, name)
	}
}

func isPlainShard(column []token) bool {
	want := []string{"shard", "smallint", "not", "null"}
	if len(column) != len(want) {
		return false
	}
	for i, t := range column {
		if !t.is(want[i]) {
			return false
		}
	}
	return true
}

// checkConstraint wants shard first in whatever makes rows unique or ties them
// to others: a constraint of the table, or one of a column, which cannot.
func (l *lint) checkConstraint(item *query, table string) {
	for i, t := range item.tokens {
		var columns int
		switch {
		case t.is("primary") && item.at(i+1).is("key"), t.is("foreign") && item.at(i+1).is("key"):
			columns = i + 2
		case t.is("unique"):
			columns = i + 1
		case t.is("references"):
			if columns = i + 2; item.at(columns).is(".") {
				columns = i + 4
			}
		case t.is("exclude"):
			l.add(t.line, "%s.%s: EXCLUDE cannot be kept over several machines", schemaName, table)
			continue
		default:
			continue
		}
		if !item.at(columns).is("(") || !item.at(columns+1).is("shard") {
			l.add(t.line, "%s.%s: %s does not begin with shard", schemaName, table, strings.ToUpper(t.text))
		}
	}
}

func (l *lint) checkUniqueIndex(q *query) {
	table := q.nameAfter(q.index(0, "on"))
	if columns := q.index(0, "("); !isShared(table) && !q.at(columns+1).is("shard") {
		l.add(q.line(), "%s.%s: UNIQUE does not begin with shard", schemaName, table)
	}
}

func (l *lint) checkAlteration(q *query) {
	if table := q.nameAfter(1); !isShared(table) {
		l.checkConstraint(q, table)
	}
}

// nameAfter is the table that is named after a position.
func (q *query) nameAfter(at int) string {
	return q.at(q.index(at, schemaName, ".") + 2).text
}
