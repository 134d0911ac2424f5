package sqllint

import (
	"fmt"
	"strings"
)

type kind uint8

const (
	word        kind = iota // keyword or name, in lower case
	quotedName              // "name"
	text                    // a string, however it is quoted; without the quotes
	body                    // a dollar-quoted string
	number                  //
	parameter               // $1
	symbol                  //
	placeholder             // /*{shard alias}*/: its text is the alias
	subquery                // stands for a query that was taken out; see query
)

type token struct {
	kind kind
	text string
	line int
}

func (t token) is(wanted string) bool {
	return t.text == wanted && (t.kind == word || t.kind == symbol)
}

func (t token) isAny(wanted ...string) bool {
	for _, w := range wanted {
		if t.is(w) {
			return true
		}
	}
	return false
}

func (t token) isName() bool { return t.kind == word || t.kind == quotedName }

// statement is what stands between two semicolons, with its comments.
type statement struct {
	tokens   []token
	comments string
}

// lexer reads SQL the way PostgreSQL's does: comments nest, strings have
// several kinds of quotes.
type lexer struct {
	rest string
	line int

	depth   int
	current statement
	done    []statement
}

// split turns SQL into statements.
func split(sql string) ([]statement, error) {
	l := &lexer{rest: sql, line: 1}
	for l.rest != "" {
		if err := l.next(); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.line, err)
		}
	}
	l.finish()
	return l.done, nil
}

func (l *lexer) finish() {
	if len(l.current.tokens) > 0 {
		l.done = append(l.done, l.current)
	}
	l.current = statement{}
}

func (l *lexer) next() error {
	switch c := l.rest[0]; {
	case strings.IndexByte(" \t\r\n\f", c) >= 0:
		l.take(1)
	case strings.HasPrefix(l.rest, "--"):
		l.lineComment()
	case strings.HasPrefix(l.rest, "/*"):
		return l.blockComment()
	case c == '\'':
		return l.quoted(0, '\'', text, false)
	case (c == 'E' || c == 'e') && strings.HasPrefix(l.rest[1:], "'"):
		return l.quoted(1, '\'', text, true)
	case c == '"':
		return l.quoted(0, '"', quotedName, false)
	case c == '$':
		return l.dollar()
	case isLetter(c):
		l.emit(word, strings.ToLower(l.take(l.while(0, isWordPart))))
	case isDigit(c):
		l.emit(number, l.take(l.while(0, func(c byte) bool { return isWordPart(c) || c == '.' })))
	default:
		l.symbol()
	}
	return nil
}

func (l *lexer) emit(k kind, text string) {
	l.current.tokens = append(l.current.tokens, token{kind: k, text: text, line: l.line})
}

// take consumes n bytes.
func (l *lexer) take(n int) string {
	taken := l.rest[:n]
	l.rest = l.rest[n:]
	l.line += strings.Count(taken, "\n")
	return taken
}

// while is where the bytes from a position on stop being so.
func (l *lexer) while(from int, so func(byte) bool) int {
	for from < len(l.rest) && so(l.rest[from]) {
		from++
	}
	return from
}

func (l *lexer) lineComment() {
	comment := l.take(l.while(0, func(c byte) bool { return c != '\n' }))
	l.current.comments += strings.TrimPrefix(comment, "--") + " "
}

func (l *lexer) blockComment() error {
	depth, end := 0, 0
	for ; end < len(l.rest); end++ {
		switch {
		case strings.HasPrefix(l.rest[end:], "/*"):
			depth++
			end++
		case strings.HasPrefix(l.rest[end:], "*/"):
			depth--
			end++
		}
		if depth == 0 {
			break
		}
	}
	if depth > 0 {
		return fmt.Errorf("a comment that does not end")
	}
	comment := l.rest[2 : end-1]
	if alias, ok := strings.CutPrefix(comment, "{shard "); ok && strings.HasSuffix(alias, "}") {
		l.emit(placeholder, strings.TrimSuffix(alias, "}"))
	} else {
		l.current.comments += comment + " "
	}
	l.take(end + 1)
	return nil
}

// quoted reads from a quote, which stands after some prefix, to the next one
// that is neither doubled nor escaped.
func (l *lexer) quoted(prefix int, quote byte, k kind, escapes bool) error {
	for end := prefix + 1; end < len(l.rest); end++ {
		switch {
		case escapes && l.rest[end] == '\\':
			end++
		case l.rest[end] != quote:
		case end+1 < len(l.rest) && l.rest[end+1] == quote:
			end++
		default:
			l.emit(k, l.rest[prefix+1:end])
			l.take(end + 1)
			return nil
		}
	}
	return fmt.Errorf("a %c that does not end", quote)
}

func (l *lexer) dollar() error {
	if end := l.while(1, isDigit); end > 1 {
		l.emit(parameter, l.take(end))
		return nil
	}
	end := l.while(1, isWordPart)
	if end == len(l.rest) || l.rest[end] != '$' {
		return fmt.Errorf("a $ that begins nothing")
	}
	tag := l.rest[:end+1]
	inside, _, ok := strings.Cut(l.rest[len(tag):], tag)
	if !ok {
		return fmt.Errorf("a %s that does not end", tag)
	}
	l.emit(body, inside)
	l.take(len(inside) + 2*len(tag))
	return nil
}

func (l *lexer) symbol() {
	n := 1
	if strings.HasPrefix(l.rest, "::") {
		n = 2
	} else if operator := l.while(0, isOperator); operator > 1 {
		n = operator
	}
	switch l.rest[:n] {
	case "(", "[":
		l.depth++
	case ")", "]":
		l.depth--
	case ";":
		if l.depth <= 0 {
			l.take(n)
			l.finish()
			return
		}
	}
	l.emit(symbol, l.rest[:n])
	l.take(n)
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isWordPart(c byte) bool { return isLetter(c) || isDigit(c) }

// Arithmetic stays apart, one sign at a time, so that signs are never taken for
// a part of something longer.
func isOperator(c byte) bool { return strings.IndexByte("<>=!~@#%^&|?", c) >= 0 }
