package ingest

import (
	"encoding/json"
	"errors"
	"net/netip"

	"github.com/malotehq/malote/internal/source"
)

// generic reads the rule of a generic source, whose members are named as
// source.ConfigError names them.
func (r *settingsReader) generic(field string, value json.RawMessage) *source.Generic {
	g := &source.Generic{}
	into := func(to *string) member { return text(r, func(given string) { *to = given }) }
	locator := func(name string, to *source.Locator) member {
		return text(r, func(given string) {
			at, err := source.ParseLocator(given)
			if err != nil {
				r.complain(field+"."+name, "%s", err)
			}
			*to = at
		})
	}
	r.object(field, value, map[string]member{
		"auth":   text(r, func(given string) { g.Auth = source.Authentication(given) }),
		"header": into(&g.Header), "prefix": into(&g.Prefix), "separator": into(&g.Separator),
		"encoding": into(&g.Encoding), "algorithm": into(&g.Algorithm), "secret_encoding": into(&g.SecretEncoding),
		"content": into(&g.Content), "timestamp_header": into(&g.TimestampHeader),
		"timestamp_format": into(&g.TimestampFormat), "parameter": into(&g.Parameter),
		"id": locator("id", &g.ID), "type": locator("type", &g.Type),
		"addresses": list(r, func(given []string) { g.Addresses = r.prefixes(field+".addresses", given) }),
	})
	r.rule(field, g)
	return g
}

func (r *settingsReader) prefixes(field string, given []string) []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(given))
	for _, word := range given {
		prefix, err := netip.ParsePrefix(word)
		if addr, notPrefix := netip.ParseAddr(word); notPrefix == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			r.complain(field, "%q must be an address or a range such as 203.0.113.0/24", word)
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes
}

// rule asks package source what it makes of a generic rule, once it could be read.
func (r *settingsReader) rule(field string, g *source.Generic) {
	if len(r.faults) > 0 {
		return
	}
	for _, err := range problemsOf(g.Validate()) {
		r.complain(field+"."+err.Field, "%s", err.Problem)
	}
}

// problemsOf takes apart what Validate joined.
func problemsOf(err error) []*source.ConfigError {
	joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err)
	if !ok {
		return nil
	}
	var problems []*source.ConfigError
	for _, one := range joined.Unwrap() {
		if problem, ok := errors.AsType[*source.ConfigError](one); ok {
			problems = append(problems, problem)
		}
	}
	return problems
}
