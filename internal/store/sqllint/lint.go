package sqllint

import (
	"fmt"
	"slices"
	"strings"
)

// Source is a piece of SQL and where it stands.
type Source struct {
	Name    string // file
	Line    int    // of its first line; 0: the file's first
	SQL     string
	Comment string // what the surrounding Go code says about it
}

// Finding is a breach of a rule.
type Finding struct {
	Name    string
	Line    int
	Message string
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.Name, f.Line, f.Message) }

// lint is one statement on its way through the rules.
type lint struct {
	name    string
	offset  int // lines before it
	comment string
	schema  *Schema
	queries []*query

	findings []Finding
}

func (l *lint) add(line int, format string, args ...any) {
	l.findings = append(l.findings, Finding{Name: l.name, Line: l.offset + line, Message: fmt.Sprintf(format, args...)})
}

// Query checks a statement that the program runs.
func (s *Schema) Query(source Source) []Finding {
	statements, err := split(source.SQL)
	if err != nil {
		return []Finding{{Name: source.Name, Line: source.Line, Message: err.Error()}}
	}
	var findings []Finding
	for _, statement := range statements {
		findings = append(findings, s.check(source, statement)...)
	}
	return findings
}

func (s *Schema) check(source Source, statement statement) []Finding {
	l := &lint{
		name: source.Name, offset: max(source.Line-1, 0), comment: source.Comment + " " + statement.comments,
		schema: s, queries: queriesOf(statement.tokens),
	}
	l.checkWords(statement.tokens)
	l.checkStatement()
	for _, q := range l.queries {
		if q.verb == "" {
			continue
		}
		l.checkNames(q)
		l.checkShape(q)
		if l.isTenants() {
			l.checkShards(q)
			l.checkInsert(q)
			l.checkChange(q)
		}
		l.checkLocks(q)
	}
	return append(l.findings, s.checkBodies(source, statement)...)
}

// checkBodies looks into functions.
func (s *Schema) checkBodies(source Source, statement statement) []Finding {
	var findings []Finding
	for _, t := range statement.tokens {
		if t.kind == body && strings.Contains(t.text, schemaName+".") {
			findings = append(findings, s.Query(Source{
				Name: source.Name, Line: max(source.Line-1, 0) + t.line, SQL: t.text,
				Comment: source.Comment + statement.comments,
			})...)
		}
	}
	return findings
}

// isTenants says whether the statement has to do with tenant-owned tables. What
// has not is run where the shared tables are, as it would be without Citus.
func (l *lint) isTenants() bool {
	return slices.ContainsFunc(l.queries, func(q *query) bool {
		return slices.ContainsFunc(q.references(), reference.isTenants)
	})
}

func (l *lint) hasReferences() bool {
	return slices.ContainsFunc(l.queries, func(q *query) bool { return len(q.references()) > 0 })
}

func (l *lint) ctes() []string {
	var names []string
	for _, q := range l.queries {
		if q.cte != "" {
			names = append(names, q.cte)
		}
	}
	return names
}
