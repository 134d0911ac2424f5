package sqllint

import (
	"strings"
)

// Name of the schema that all our tables are in.
const schemaName = "malote"

// shared are the tables that belong to no tenant, and why. They are small and
// stay whole; all others begin with their tenant's shard.
var shared = map[string]string{
	"policies":          "contracts, which tenants have in common",
	"maintenance_tasks": "one row per periodic task of the whole installation",
	"pulses":            "a few rows per process of the whole installation",
	"hour_stats":        "one row per hour of the whole installation",
	"users":             "the operator's people, who see all tenants",
	"user_links":        "theirs, and few",
	"sessions":          "looked up by the hash of a cookie before it is known whose it is",
	goose:               "the migrations' own, a row for each",
	"secret_keys":       "a few rows of the whole installation, read when a process starts",
}

// goose is the table that the migrations themselves are noted in; the program that
// runs them makes it.
const goose = "migrations"

func isShared(table string) bool { return shared[table] != "" }

// Schema is what migrations make, as far as the rules ask.
type Schema struct {
	tables map[string]bool
	// Columns are known by their names alone: one that is a timestamptz in any
	// table is taken for one everywhere, also when a query hands it on.
	timestamps map[string]bool
}

// ReadSchema adds up migrations, in their order.
func ReadSchema(migrations ...string) (*Schema, error) {
	s := &Schema{tables: make(map[string]bool), timestamps: make(map[string]bool)}
	for _, migration := range migrations {
		up, _, _ := strings.Cut(migration, "-- +goose Down")
		statements, err := split(up)
		if err != nil {
			return nil, err
		}
		for _, statement := range statements {
			s.add(statement.tokens)
		}
	}
	return s, nil
}

func (s *Schema) add(tokens []token) {
	if name, at := createdTable(tokens); name != "" {
		s.tables[name] = true
		for _, item := range items(tokens, at) {
			s.addColumn(item)
		}
		return
	}
	q := &query{tokens: tokens}
	for at := q.index(0, "add", "column"); at >= 0; at = q.index(at+1, "add", "column") {
		next := at + 2
		if q.at(next).is("if") {
			next += 3 // IF NOT EXISTS
		}
		s.addColumn(tokens[next:])
	}
}

func (s *Schema) addColumn(item []token) {
	if len(item) > 1 && item[1].is("timestamptz") {
		s.timestamps[item[0].text] = true
	}
}

// createdTable is the name of the table that a statement creates, and where the
// list of its columns opens.
func createdTable(tokens []token) (name string, list int) {
	q := &query{tokens: tokens}
	if !q.at(0).is("create") {
		return "", 0
	}
	at := q.index(1, "table")
	if at < 0 || at > 2 { // CREATE UNLOGGED TABLE
		return "", 0
	}
	at++
	if q.at(at).is("if") {
		at += 3
	}
	if q.at(at + 1).is(".") {
		at += 2
	}
	return q.at(at).text, at + 1
}

// items are the parts of a list in parentheses, between its own commas.
func items(tokens []token, open int) [][]token {
	if open >= len(tokens) || !tokens[open].is("(") {
		return nil
	}
	var list [][]token
	depth, begin := 0, open+1
	for i := open; i < len(tokens); i++ {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			if depth--; depth == 0 {
				return append(list, tokens[begin:i])
			}
		case tokens[i].is(",") && depth == 1:
			list = append(list, tokens[begin:i])
			begin = i + 1
		}
	}
	return list
}
