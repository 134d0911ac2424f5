package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on a policy's text. Tokens are limited apart from bytes because the
// YAML parser's time grows faster than its input where brackets are nested.
const (
	MaxSourceBytes = 32 << 10
	maxTokens      = 4000
)

// ParseError says where a policy is wrong and why.
type ParseError struct {
	Line   int    // 1…
	Column int    // 1…
	Field  string // path of the field, such as "schedule.cap"; "" for the file as a whole
	Reason string // what is wrong with it, for the person who wrote it
}

// Error shows the place, the field and the reason in one line.
func (e *ParseError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
	}
	return fmt.Sprintf("line %d, column %d: %s: %s", e.Line, e.Column, e.Field, e.Reason)
}

// root parses the text into its one mapping.
func root(source []byte) (*ast.MappingNode, *ParseError) {
	if len(source) > MaxSourceBytes {
		return nil, fileError("a policy is at most %d KiB long", MaxSourceBytes>>10)
	}
	tokens := lexer.Tokenize(string(source))
	if len(tokens) > maxTokens {
		return nil, fileError("this is too long for a policy: more than %d words and signs", maxTokens)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntaxError(err)
	}
	if len(file.Docs) != 1 {
		return nil, fileError("a file holds one policy, not %d YAML documents", len(file.Docs))
	}
	mapping, ok := file.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return nil, fileError("a policy is a mapping that begins with its name")
	}
	return mapping, nil
}

func fileError(format string, arguments ...any) *ParseError {
	return &ParseError{Line: 1, Column: 1, Reason: fmt.Sprintf(format, arguments...)}
}

func syntaxError(err error) *ParseError {
	var located yaml.Error
	if !errors.As(err, &located) {
		return fileError("this is not YAML: %v", err)
	}
	line, column := position(located.GetToken())
	reason, _, _ := strings.Cut(located.GetMessage(), "\n")
	return &ParseError{Line: line, Column: column, Reason: "this is not YAML: " + reason}
}

// start is where a value begins. A section's own token is its first colon.
func start(node ast.Node) *token.Token {
	if mapping, ok := node.(*ast.MappingNode); ok && !mapping.IsFlowStyle && len(mapping.Values) > 0 {
		return mapping.Values[0].Key.GetToken()
	}
	return node.GetToken()
}

func position(tk *token.Token) (line, column int) {
	if tk == nil || tk.Position == nil {
		return 1, 1
	}
	return max(tk.Position.Line, 1), max(tk.Position.Column, 1)
}

// scalar is the text of a plain value, or false for anything else: sections,
// lists, empty values, and YAML's anchors, aliases and tags, which a policy has
// no use for.
func scalar(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.LiteralNode:
		return strings.TrimSpace(node.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}
