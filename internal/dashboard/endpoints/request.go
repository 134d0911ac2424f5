package endpoints

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// members are those of a request to the API.
type members map[string]any

// reader turns a form's fields into a request's members, and notes what cannot
// be read.
type reader struct {
	ctx    context.Context
	faults map[string]string
}

func (r *reader) fault(field string, text lang.Text, args ...any) {
	if _, known := r.faults[field]; !known {
		r.faults[field] = text.In(r.ctx, args...)
	}
}

func (r *reader) whole(field, text string) any {
	n, err := strconv.Atoi(text)
	if err != nil {
		r.fault(field, wholeFault)
	}
	return n
}

// number takes a comma for the point, too.
func (r *reader) number(field, text string) any {
	x, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		r.fault(field, numberFault)
		return 0
	}
	return x
}

func (r *reader) pairs(field, text string) map[string]string {
	pairs, wrong := pairsIn(text)
	if wrong != "" {
		r.fault(field, pairFault, wrong)
	}
	return pairs
}

// headers joins both fields of headers; the second are secret.
func (r *reader) headers(f form) (all map[string]string, secret []string) {
	all, hidden := r.pairs("headers", f.Headers), r.pairs("secret_headers", f.SecretHeaders)
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		if _, twice := all[name]; twice {
			r.fault("secret_headers", twiceFault, name)
		}
		secret = append(secret, name)
	}
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, hidden)
	return all, secret
}

// creation is the request that makes the form's endpoint. What was left empty is
// left out: the policy's defaults hold then.
func (f form) creation(ctx context.Context) (members, map[string]string) {
	r := &reader{ctx, map[string]string{}}
	body := members{"url": f.URL}
	for name, value := range map[string]string{
		"tenant": f.Tenant, "policy": f.Policy, "description": f.Description, "filter": plainLines(f.Filter), "secret": f.Secret,
	} {
		if value != "" {
			body[name] = value
		}
	}
	if types := wordsIn(f.EventTypes); len(types) > 0 {
		body["event_types"] = types
	}
	if f.MaxInFlight != "" {
		body["max_in_flight"] = r.whole("max_in_flight", f.MaxInFlight)
	}
	if f.RateLimit != "" {
		body["rate_limit"] = r.number("rate_limit", f.RateLimit)
	}
	if f.FIFO != "" {
		body["fifo"] = f.FIFO == yes
	}
	if f.AtMostOnce {
		body["at_most_once"] = true
	}
	if headers, secret := r.headers(f); len(headers) > 0 {
		body["headers"] = headers
		if len(secret) > 0 {
			body["secret_headers"] = secret
		}
	}
	if metadata := r.pairs("metadata", f.Metadata); len(metadata) > 0 {
		body["metadata"] = metadata
	}
	return body, r.faults
}

// changes is the request that makes an endpoint what the form says. Only what
// differs is in it: a default of the policy's that was only shown must not become
// the endpoint's own.
func (f form) changes(ctx context.Context, present records.Endpoint) (members, map[string]string) {
	r, was := &reader{ctx, map[string]string{}}, formFor(present)
	body := members{}
	for name, pair := range map[string][2]string{
		"url": {f.URL, was.URL}, "policy": {f.Policy, was.Policy}, "description": {plainLines(f.Description), plainLines(was.Description)},
		"filter": {plainLines(f.Filter), plainLines(was.Filter)},
	} {
		if pair[0] != pair[1] {
			body[name] = pair[0]
		}
	}
	if types := wordsIn(f.EventTypes); !slices.Equal(types, present.EventTypes) && len(types)+len(present.EventTypes) > 0 {
		body["event_types"] = append([]string{}, types...)
	}
	if f.MaxInFlight != was.MaxInFlight {
		body["max_in_flight"] = r.whole("max_in_flight", orZero(f.MaxInFlight))
	}
	if f.RateLimit != was.RateLimit {
		body["rate_limit"] = r.number("rate_limit", orZero(f.RateLimit))
	}
	if f.FIFO != was.FIFO {
		body["fifo"] = f.FIFO == yes
	}
	if f.AtMostOnce != was.AtMostOnce {
		body["at_most_once"] = f.AtMostOnce
	}
	if plainLines(f.Headers) != was.Headers || plainLines(f.SecretHeaders) != was.SecretHeaders {
		headers, secret := r.headers(f)
		body["headers"], body["secret_headers"] = headers, append([]string{}, secret...)
	}
	if f.changesMetadata(present) {
		body["metadata"] = r.pairs("metadata", f.Metadata)
	}
	return body, r.faults
}

// orZero is what the API takes for "back to the policy's default".
func orZero(text string) string {
	if text == "" {
		return "0"
	}
	return text
}

func (f form) changesMetadata(present records.Endpoint) bool {
	return inLines(present.Metadata) && plainLines(f.Metadata) != pairLines(present.Metadata, nil)
}

// inLines says whether lines can hold the pairs; where they cannot, the form
// leaves them alone.
func inLines(pairs map[string]string) bool {
	read, wrong := pairsIn(pairLines(pairs, nil))
	return wrong == "" && maps.Equal(read, pairs)
}

// fieldsOf are the form's.
var fieldsOf = []string{
	"tenant", "url", "event_types", "policy", "description", "max_in_flight", "rate_limit", "fifo", "filter", "headers",
	"secret_headers", "metadata", "at_most_once", "secret",
}

// faultsOf puts what the API found wrong beside the form's fields; rest says
// whether there is more than that.
func (f form) faultsOf(ctx context.Context, p *page.Problem) (faults map[string]string, rest bool) {
	faults = map[string]string{}
	for _, fault := range p.Errors {
		field, part, _ := strings.Cut(strings.ReplaceAll(fault.Field, "[", "."), ".")
		if !slices.Contains(fieldsOf, field) {
			rest = true
			continue
		}
		detail := fault.Detail
		if field == "headers" && part != "" {
			detail = part + ": " + detail
			if secret, _ := pairsIn(f.SecretHeaders); hasName(secret, part) {
				field = "secret_headers"
			}
		}
		if before := faults[field]; before != "" {
			detail = before + "; " + detail
		}
		faults[field] = detail
	}
	switch p.Code {
	case "unknown_tenant":
		faults["tenant"] = unknownTenantFault.In(ctx)
	case "unknown_policy":
		faults["policy"] = unknownPolicyFault.In(ctx)
	}
	return faults, rest || len(faults) == 0
}

func hasName(pairs map[string]string, name string) bool {
	_, there := pairs[name]
	return there
}

// refusalOf says whether an error is about what the form says: also a tenant or a
// policy that is not there.
func refusalOf(err error) (*page.Problem, bool) {
	p, refused := page.IsRefusal(err)
	if p != nil && (p.Code == "unknown_tenant" || p.Code == "unknown_policy") {
		refused = true
	}
	return p, refused
}
