package api

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// What requests of a kind may get, whatever the operation.
var (
	codesOfAll    = []Code{InvalidRequest, Internal, Unavailable}
	codesOfKeys   = []Code{Unauthenticated, InsufficientScope}
	codesOfBodies = []Code{InvalidJSON, BodyIncomplete, RequestTimeout, BodyTooLarge, UnsupportedMediaType}
	codesOfNone   = []Code{UnknownRoute, MethodNotAllowed} // what no operation answers
)

// codesOf lists the codes of an operation's problems, in the order of the
// documentation: those of its kind of request, and its own.
func codesOf(o *huma.Operation, own []Code) []Code {
	codes := slices.Concat(own, codesOfAll)
	if o.Security != nil {
		codes = append(codes, codesOfKeys...)
	}
	if o.RequestBody != nil {
		codes = append(codes, codesOfBodies...)
	}
	for _, p := range o.Parameters {
		codes = append(codes, codesOfParameter(p)...)
	}
	slices.SortFunc(codes, func(a, b Code) int { return rank(a) - rank(b) })
	return slices.Compact(codes)
}

func codesOfParameter(p *huma.Param) []Code {
	switch {
	case p.Name == "Idempotency-Key":
		return []Code{IdempotencyKeyReused}
	case p.Name == "cursor":
		return []Code{InvalidCursor}
	case p.Name == "tenant":
		return []Code{UnknownTenant} // also in a query: another's does not exist
	case p.In == "path" && p.Name == "name":
		return []Code{UnknownPolicy}
	case p.In == "path":
		return []Code{NotFound}
	default:
		return nil
	}
}

// rank is a code's place in the documentation.
func rank(code Code) int {
	return slices.IndexFunc(meanings, func(m meaning) bool { return m.code == code })
}
