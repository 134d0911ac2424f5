package sqllint

import "slices"

// query is one SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES: one arm, if it
// is a union. Queries inside it are others; a token stands where they were.
type query struct {
	verb   string // "" if it is none of these
	tokens []token
	cte    string // the name that WITH gives it, if it is one's body
	parent *query // around it, which it can refer to; nil for a CTE's body
}

var verbs = []string{"select", "insert", "update", "delete", "merge", "values"}

var setOperators = []string{"union", "intersect", "except"}

// queriesOf takes a statement apart, the inner ones first.
func queriesOf(tokens []token) []*query {
	var found []*query
	collect(tokens, query{}, &found)
	return found
}

// collect reads the arms of a query; each begins as a copy of empty.
func collect(tokens []token, empty query, found *[]*query) {
	arm := new(empty)
	depth := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.is("(") && beginsQuery(tokens, i):
			end := closing(tokens, i)
			inner := query{cte: arm.cteName(), parent: arm}
			if inner.cte != "" {
				inner.parent = nil
			}
			collect(tokens[i+1:end], inner, found)
			arm.tokens = append(arm.tokens, t, token{kind: subquery, line: t.line}, token{kind: symbol, text: ")", line: t.line})
			i = end
			continue
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && t.isAny(setOperators...):
			arm.finish(found)
			arm = new(empty)
			continue
		}
		arm.tokens = append(arm.tokens, t)
	}
	arm.finish(found)
}

func (q *query) finish(found *[]*query) {
	*found = append(*found, q)
	if q.at(0).isAny("alter", "comment", "create", "drop", "grant", "revoke") {
		return // verbs in these are but words
	}
	depth := 0
	for _, t := range q.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && q.verb == "" && t.isAny(verbs...):
			q.verb = t.text
		}
	}
}

// beginsQuery says whether a parenthesis holds a query: directly, or within
// another one, alone or as the first arm of a union.
func beginsQuery(tokens []token, at int) bool {
	if at+1 >= len(tokens) {
		return false
	}
	if next := tokens[at+1]; next.is("with") || next.isAny(verbs...) {
		return true
	}
	if !tokens[at+1].is("(") || !beginsQuery(tokens, at+1) {
		return false
	}
	after := closing(tokens, at+1) + 1
	return after < len(tokens) && (tokens[after].is(")") || tokens[after].isAny(setOperators...))
}

// closing is where the parenthesis that opens at a position is closed; the last
// token if it never is.
func closing(tokens []token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens) - 1
}

// opening is where the parenthesis that is closed at a position opens; the first
// token if it never does.
func opening(tokens []token, closed int) int {
	depth := 0
	for i := closed; i > 0; i-- {
		switch {
		case tokens[i].is(")"):
			depth++
		case tokens[i].is("("):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// cteName is the name that WITH gives the query that comes next, or "".
func (q *query) cteName() string {
	before := q.tokens
	if len(before) == 0 || !before[0].is("with") {
		return ""
	}
	for len(before) > 0 && before[len(before)-1].isAny("not", "materialized") {
		before = before[:len(before)-1]
	}
	if len(before) == 0 || !before[len(before)-1].is("as") {
		return ""
	}
	before = before[:len(before)-1]
	if len(before) > 0 && before[len(before)-1].is(")") { // its columns
		before = before[:opening(before, len(before)-1)]
	}
	if len(before) == 0 {
		return ""
	}
	return before[len(before)-1].text
}

// at is the i-th token; one that is nothing, beyond either end.
func (q *query) at(i int) token {
	if i < 0 || i >= len(q.tokens) {
		return token{kind: symbol}
	}
	return q.tokens[i]
}

// index is where a sequence of words begins, from a position on; -1: nowhere.
func (q *query) index(from int, words ...string) int {
	for i := max(from, 0); i+len(words) <= len(q.tokens); i++ {
		if slices.EqualFunc(q.tokens[i:i+len(words)], words, token.is) {
			return i
		}
	}
	return -1
}

func (q *query) has(words ...string) bool { return q.index(0, words...) >= 0 }

// line is where the query begins.
func (q *query) line() int { return q.at(0).line }

// isChange says whether it changes rows that are there.
func (q *query) isChange() bool { return q.verb == "update" || q.verb == "delete" }

var locks = [][]string{
	{"for", "update"}, {"for", "no", "key", "update"}, {"for", "share"}, {"for", "key", "share"},
}

// locked says whether it locks the rows that it selects, and of which aliases:
// none means all.
func (q *query) locked() (bool, []string) {
	for _, lock := range locks {
		at := q.index(0, lock...)
		if at < 0 {
			continue
		}
		var of []string
		if next := at + len(lock); q.at(next).is("of") {
			for next++; q.at(next).isName(); next += 2 {
				of = append(of, q.at(next).text)
			}
		}
		return true, of
	}
	return false, nil
}
