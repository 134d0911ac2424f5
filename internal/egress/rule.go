package egress

import (
	"errors"
	"fmt"
)

// Rule names what refused a destination. The values are shown to users and
// kept in logs, so they never change their meaning.
type Rule string

// The rules about a URL's text.
const (
	RuleTooLong            Rule = "too_long"
	RuleControlCharacter   Rule = "control_character"
	RuleSpace              Rule = "space"
	RuleInvisibleCharacter Rule = "invisible_character"
	RuleEncoding           Rule = "encoding"
	RuleBackslash          Rule = "backslash"
	RuleScheme             Rule = "scheme"
	RuleUserinfo           Rule = "userinfo"
	RuleEmptyHost          Rule = "empty_host"
	RulePercentInHost      Rule = "percent_in_host"
	RulePort               Rule = "port"
	RuleMalformed          Rule = "malformed"
)

// The rules about a name.
const (
	RuleIDNAChangedName Rule = "idna_changed_name"
	RuleIDNAInvalid     Rule = "idna_invalid"
	RuleNumericLabel    Rule = "numeric_label"
	RuleLabelSyntax     Rule = "label_syntax"
	RuleNameLength      Rule = "name_length"
	RuleReservedName    Rule = "reserved_name"
	RuleSingleLabel     Rule = "single_label"
)

// The rules about an address and about an answer of the name service.
const (
	RuleIPLiteral        Rule = "ip_literal"
	RuleZone             Rule = "zone"
	RuleSpecialPurpose   Rule = "ip_special_purpose"
	RuleMixedAnswer      Rule = "mixed_answer"
	RuleResolutionFailed Rule = "resolution_failed"
)

// The rules about what happens during a delivery.
const (
	RuleRedirect  Rule = "redirect"
	RuleFetchHost Rule = "fetch_host"
)

// URLError refuses a URL because of its text.
type URLError struct {
	Rule   Rule
	Advice string // a sentence that tells the user what to do
}

func (e *URLError) Error() string { return e.Advice }

func refuse(rule Rule, format string, args ...any) *URLError {
	return &URLError{Rule: rule, Advice: fmt.Sprintf(format, args...)}
}

// RuleOf returns the rule behind a refusal made by this package, and "" for
// any other error.
func RuleOf(err error) Rule {
	if refused, ok := errors.AsType[*URLError](err); ok {
		return refused.Rule
	}
	if blocked, ok := errors.AsType[*BlockedError](err); ok {
		return blocked.Rule
	}
	if _, ok := errors.AsType[*ResolveError](err); ok {
		return RuleResolutionFailed
	}
	return ""
}
