package ingest

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/filter"
	"github.com/malotehq/malote/internal/source"
)

// Bounds of settings.
const (
	maxURL       = 2048 // bytes
	maxReceipt   = 4096 // bytes
	minWindow    = time.Second
	maxWindow    = 7 * 24 * time.Hour // keys are kept that long
	maxPerSecond = 1e6
)

// ParseSettings reads a source's settings, which are a JSON object or nothing,
// for its provider. maxBody bounds max_body_bytes and stands where there is none.
// Every error is a *SettingsError, which names all that is wrong.
func ParseSettings(provider *source.Provider, raw []byte, maxBody int) (Settings, error) {
	s := Settings{MaxBodyBytes: maxBody}
	var r settingsReader
	if len(raw) > 0 {
		r.object("", raw, map[string]member{
			"url":              text(&r, func(given string) { s.URL = r.address("url", given) }),
			"tolerance":        text(&r, func(given string) { s.Window = r.window("tolerance", given) }),
			"dedupe":           text(&r, func(given string) { s.Dedupe = r.dedupe("dedupe", given) }),
			"event_type_from":  text(&r, func(given string) { s.Type = r.typeRule("event_type_from", given) }),
			"content_encoding": text(&r, func(given string) { s.AsReceived = r.coding("content_encoding", given) }),
			"filter":           text(&r, func(given string) { s.Filter = r.filter("filter", given) }),
			"forward_headers": list(&r, func(given []string) {
				s.ForwardHeaders = append([]string{}, given...)
				r.forwarded("forward_headers", provider, given)
			}),
			"max_body_bytes": number(&r, func(given float64) {
				s.MaxBodyBytes = r.whole("max_body_bytes", given, 1, maxBody)
			}),
			"rate_limit": func(field string, value json.RawMessage) { s.Rate = r.rate(field, value) },
			"success":    func(field string, value json.RawMessage) { s.Success = r.success(field, value, provider.Success) },
			"generic":    func(field string, value json.RawMessage) { s.Generic = r.generic(field, value) },
		})
	}
	if isGeneric := provider.Name == genericName; isGeneric != (s.Generic != nil) && len(r.faults) == 0 {
		if isGeneric {
			r.complain("generic", "is needed: it says how the sender is known")
		} else {
			r.complain("generic", "goes with the provider %s only", genericName)
		}
	}
	if len(r.faults) > 0 {
		return Settings{}, &SettingsError{r.faults}
	}
	return s, nil
}

const genericName = "generic"

func (r *settingsReader) address(field, given string) string {
	parsed, err := url.Parse(given)
	if err != nil || len(given) > maxURL || parsed.Host == "" || parsed.User != nil || parsed.Fragment != "" ||
		parsed.Scheme != "https" && parsed.Scheme != "http" {
		r.complain(field, "must be the address that the provider was given, such as https://hooks.example.com/in/src_…, of at most %d bytes", maxURL)
	}
	return given
}

func (r *settingsReader) window(field, given string) time.Duration {
	if given == "off" {
		return source.NoWindow
	}
	window, err := time.ParseDuration(given)
	if err != nil || window < minWindow || window > maxWindow {
		r.complain(field, `must be a duration from 1s to 168h, such as "5m", or "off"`)
	}
	return window
}

func (r *settingsReader) dedupe(field, given string) Dedupe {
	switch given {
	case "provider":
		return Dedupe{by: byProvider}
	case "body_hash":
		return Dedupe{by: byBodyHash}
	case "none":
		return Dedupe{by: byNothing}
	}
	at, err := source.ParseLocator(given)
	if err != nil || given == "" {
		r.complain(field, `must be "provider", "body_hash", "none", "header:Name", or "json:" and a path such as json:data.id`)
	}
	return Dedupe{by: byLocator, at: at}
}

func (r *settingsReader) typeRule(field, given string) TypeRule {
	if given == "provider" {
		return TypeRule{}
	}
	if fixed, found := strings.CutPrefix(given, "fixed:"); found {
		if !delivery.ValidType(fixed) {
			r.complain(field, "fixed: must be followed by 1 to %d characters of a-z, A-Z, 0-9, '_', '.' and '-'", delivery.MaxTypeLength)
		}
		return TypeRule{fixed: fixed}
	}
	at, err := source.ParseLocator(given)
	if err != nil || given == "" {
		r.complain(field, `must be "provider", "fixed:" and a type, "header:Name", or "json:" and a path such as json:event.type`)
	}
	return TypeRule{at: at, isLocated: true}
}

func (r *settingsReader) coding(field, given string) (asReceived bool) {
	if given != "unpack" && given != "as_received" {
		r.complain(field, `must be "unpack", or "as_received" for a provider that signs the packed bytes`)
	}
	return given == "as_received"
}

func (r *settingsReader) filter(field, given string) *filter.Filter {
	compiled, err := filter.Compile(given)
	if err != nil {
		r.complain(field, "%s", err)
	}
	return compiled
}

func (r *settingsReader) rate(field string, value json.RawMessage) RateLimit {
	limit := RateLimit{Burst: -1}
	r.object(field, value, map[string]member{
		"per_second": number(r, func(given float64) {
			limit.PerSecond = given
			if given <= 0 || given > maxPerSecond {
				r.complain(field+".per_second", "must be more than 0, and at most %g", maxPerSecond)
			}
		}),
		"burst": number(r, func(given float64) { limit.Burst = r.whole(field+".burst", given, 1, maxPerSecond) }),
	})
	if limit.PerSecond == 0 {
		r.complain(field+".per_second", "is needed")
	}
	if limit.Burst < 0 {
		limit.Burst = max(1, int(limit.PerSecond))
	}
	return limit
}

// success holds a receipt to what the provider takes for one.
func (r *settingsReader) success(field string, value json.RawMessage, needed source.Response) source.Response {
	receipt := source.Response{Status: 200}
	r.object(field, value, map[string]member{
		"status": number(r, func(given float64) { receipt.Status = r.whole(field+".status", given, 200, 299) }),
		"body":   text(r, func(given string) { receipt.Body = given }),
		"content_type": text(r, func(given string) {
			receipt.ContentType = given
			switch lower := strings.ToLower(given); {
			case !isPrintable(given):
				r.complain(field+".content_type", "must be a media type such as text/plain")
			case strings.Contains(lower, "html"), strings.Contains(lower, "svg"):
				r.complain(field+".content_type", "must not be of a page that a browser runs, such as HTML or SVG")
			}
		}),
	})
	switch {
	case len(receipt.Body) > maxReceipt:
		r.complain(field+".body", "must have at most %d bytes", maxReceipt)
	case receipt.Status == 204 && receipt.Body != "":
		r.complain(field+".body", "cannot go with the status 204")
	case needed.Status != 0 && receipt.Status != needed.Status:
		r.complain(field+".status", "must be %d: the provider takes nothing else for a receipt", needed.Status)
	case needed.Body != "" && receipt.Body != needed.Body:
		r.complain(field+".body", "must be %s: the provider takes nothing else for a receipt", needed.Body)
	}
	if receipt.Body != "" && receipt.ContentType == "" {
		receipt.ContentType = "text/plain; charset=utf-8"
	}
	return receipt
}

// isPrintable says whether a text can stand in a header.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7e })
}
