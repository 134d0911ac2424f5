package egress

import (
	"regexp"
	"strings"
)

// Two things that a scenario may tell decide about a delivery: a redirect, which
// is a failure whatever it points to, since none is ever followed; and a URL
// that the other side sent for us to fetch, which is an outbound call like any other.
// Everything else (Alt-Svc, kept-alive or shared connections, proxy variables)
// changes nothing, because the transport does not act on it.
var (
	redirects = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^\s*(HTTP/[0-9.]+\s+)?(30[1-8]|3xx)\b`),
		regexp.MustCompile(`(?i)\b(3[0-9]{2}|3xx)\b[^;]*\bLocation\s*[:=]`),
		regexp.MustCompile(`(?i)\b(status|answers?|responds?|returns?|response)\s+(is\s+)?(with\s+)?(an?\s+)?(3[0-9]{2}|3xx)\b`),
		regexp.MustCompile(`(?i)\bredirect(s|ed|ing)?\s+to\b`),
	}

	// fetchedField finds NAME=VALUE or NAME: VALUE where NAME ends in "url" and
	// is more than that, so that Refresh: 0;url=… is none; or any NAME that is introduced as a field.
	fetchedField = regexp.MustCompile(`(?i)(?:\bfield\s+"?([\w.-]+)|([\w-]+url))"?\s*[:=]\s*"?([^\s"',;]+)`)
)

// fetchPins are the hosts that a provider's own URLs may name (field without
// punctuation, in lower case → hosts): a provider's key or confirmation fetched
// from elsewhere is a forgery.
var fetchPins = map[string]*regexp.Regexp{
	"subscribeurl":   amazonSNS,
	"unsubscribeurl": amazonSNS,
	"signingcerturl": amazonSNS,
	"paypalcerturl":  regexp.MustCompile(`^([a-z0-9-]+\.)+paypal\.com$`),
}

var amazonSNS = regexp.MustCompile(`^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$`)

func (c Checker) checkScenario(scenario string) error {
	for _, redirect := range redirects {
		if redirect.MatchString(scenario) {
			return refuse(RuleRedirect, "the receiver answers with a redirect, which is never followed and counts as a failure: register the final URL")
		}
	}
	for _, found := range fetchedField.FindAllStringSubmatch(scenario, -1) {
		if err := c.checkFetch(found[1]+found[2], found[3]); err != nil {
			return err
		}
	}
	return nil
}

func (c Checker) checkFetch(field, text string) error {
	key := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(field))
	if !strings.HasSuffix(key, "url") && !strings.Contains(text, "://") {
		return nil
	}
	target, err := c.Guard.CheckURL(text)
	if err != nil {
		return refuse(RuleOf(err), "%s would be fetched, and %s", field, err)
	}
	if pin := fetchPins[key]; pin != nil && !pin.MatchString(target.Hostname()) {
		return refuse(RuleFetchHost, "%s names the host %s, which is not the provider's: nothing is fetched from it", field, target.Hostname())
	}
	return nil
}
