package endpoints

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// form is what somebody wrote into the form of a new endpoint, or of one that is
// there. Lists and maps are lines.
type form struct {
	Tenant, URL, EventTypes, Policy, Description string
	MaxInFlight, RateLimit, FIFO, Filter         string // FIFO: "": the policy's default, or yes or no
	Headers, SecretHeaders, Metadata             string
	AtMostOnce                                   bool
	Secret                                       string            // of a new endpoint only
	Seen                                         string            // when the endpoint that was changed here had been changed last
	Faults                                       map[string]string // by the form's fields
}

// Words of FIFO.
const (
	yes = "yes"
	no  = "no"
)

// hidden stands for a secret header's value, to the API too.
const hidden = "[hidden]"

func formOf(r *page.Request) form {
	return form{
		Tenant: r.Field("tenant"), URL: r.Field("url"), EventTypes: r.Field("event_types"), Policy: r.Field("policy"),
		Description: r.Field("description"), MaxInFlight: r.Field("max_in_flight"), RateLimit: r.Field("rate_limit"),
		FIFO: r.Field("fifo"), Filter: r.Field("filter"), Headers: r.Field("headers"), SecretHeaders: r.Field("secret_headers"),
		Metadata: r.Field("metadata"), AtMostOnce: r.Field("at_most_once") == yes, Secret: r.Field("secret"), Seen: r.Field("seen"),
	}
}

// formFor shows an endpoint as it is.
func formFor(e records.Endpoint) form {
	f := form{
		Tenant: e.Tenant, URL: e.URL, EventTypes: strings.Join(e.EventTypes, "\n"), Policy: e.Policy, Description: e.Description,
		MaxInFlight: strconv.Itoa(e.MaxInFlight), FIFO: no, Filter: e.Filter, AtMostOnce: e.AtMostOnce,
		Metadata: pairLines(e.Metadata, nil), Seen: e.UpdatedAt.UTC().Format(time.RFC3339Nano),
	}
	if e.RateLimit != nil {
		f.RateLimit = strconv.FormatFloat(*e.RateLimit, 'f', -1, 64)
	}
	if e.FIFO {
		f.FIFO = yes
	}
	secret := func(name string) bool { return slices.Contains(e.SecretHeaders, name) }
	f.Headers = pairLines(e.Headers, func(name string) bool { return !secret(name) })
	f.SecretHeaders = pairLines(e.Headers, secret)
	return f
}

// pairLines are names and values, a line each, of the names that fit.
func pairLines(pairs map[string]string, fits func(name string) bool) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		if fits == nil || fits(name) {
			lines = append(lines, strings.TrimSpace(name+": "+pairs[name]))
		}
	}
	return strings.Join(lines, "\n")
}

// pairsIn reads lines of names and values; line is the first that is none, "" if
// all are.
func pairsIn(text string) (pairs map[string]string, line string) {
	pairs = map[string]string{}
	for row := range strings.Lines(text) {
		row = strings.TrimSpace(row)
		if row == "" {
			continue
		}
		name, value, found := strings.Cut(row, ":")
		name = strings.TrimSpace(name)
		if _, twice := pairs[name]; !found || name == "" || twice {
			return nil, row
		}
		pairs[name] = strings.TrimSpace(value)
	}
	return pairs, ""
}

// wordsIn are what white space or commas part.
func wordsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
}

// plainLines are a field of several lines as forms are compared: browsers send
// other line ends than they were given.
func plainLines(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}
