package ingest

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// Bounds of what is passed on of a request's header.
const (
	maxForwarded      = 50       // names
	maxForwardedBytes = 16 << 10 // of one request, names and values
)

// eventHeaders are what each provider says of an event outside of its body: what
// a consumer that was written for the provider looks for. Providers that say all
// in the body have none.
var eventHeaders = map[string][]string{
	"aws_sns":   {"X-Amz-Sns-Message-Type", "X-Amz-Sns-Message-Id", "X-Amz-Sns-Topic-Arn", "X-Amz-Sns-Subscription-Arn"},
	"bitbucket": {"X-Event-Key", "X-Event-Time", "X-Hook-Uuid", "X-Request-Uuid", "X-Attempt-Number"},
	"github": {
		"X-Github-Event", "X-Github-Delivery", "X-Github-Hook-Id",
		"X-Github-Hook-Installation-Target-Id", "X-Github-Hook-Installation-Target-Type",
	},
	"gitlab":      {"X-Gitlab-Event", "X-Gitlab-Event-Uuid", "X-Gitlab-Webhook-Uuid", "X-Gitlab-Instance"},
	"jira":        {"X-Atlassian-Webhook-Identifier", "X-Atlassian-Webhook-Flow", "X-Atlassian-Webhook-Retry"},
	"linear":      {"Linear-Event", "Linear-Delivery"},
	"mercadopago": {"X-Request-Id"},
	"sanity":      {"Sanity-Operation", "Sanity-Document-Id", "Sanity-Dataset", "Sanity-Project-Id", "Sanity-Transaction-Id"},
	"shopify": {
		"X-Shopify-Topic", "X-Shopify-Shop-Domain", "X-Shopify-Api-Version", "X-Shopify-Webhook-Id",
		"X-Shopify-Event-Id", "X-Shopify-Triggered-At",
	},
	"slack":   {"X-Slack-Retry-Num", "X-Slack-Retry-Reason"},
	"square":  {"Square-Environment", "Square-Initial-Delivery-Timestamp", "Square-Retry-Number", "Square-Retry-Reason"},
	"zendesk": {"X-Zendesk-Account-Id", "X-Zendesk-Webhook-Id", "X-Zendesk-Webhook-Invocation-Id"},
}

// framing are headers of a connection or a message's form, which end with them
// (RFC 9110 section 7.6.1). The content type goes with the body.
var framing = []string{
	"connection", "content-encoding", "content-length", "content-type", "expect", "host", "keep-alive", "te", "trailer",
	"transfer-encoding", "upgrade",
}

// secretWords are what names of headers have in them whose values prove something
// to whoever knows them. A signature too: it holds for whoever gets it.
var secretWords = []string{
	"api-key", "apikey", "authorization", "cookie", "credential", "hmac", "password", "proxy-", "secret", "signature",
	"-sig", "token", "verification",
}

// stays says why a header is never passed on; empty: it may be.
func stays(name string, provider *source.Provider) string {
	lower := strings.ToLower(name)
	switch {
	case slices.Contains(framing, lower):
		return "belongs to the connection or the message's form"
	case slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(lower, word) }),
		len(provider.Headers) > 0 && provider.Name != "aws_sns" && strings.EqualFold(name, provider.Headers[0]):
		return "may hold a credential or a signature"
	default:
		return ""
	}
}

func (r *settingsReader) forwarded(field string, provider *source.Provider, names []string) {
	if len(names) > maxForwarded {
		r.complain(field, "must name at most %d headers", maxForwarded)
		return
	}
	for _, name := range names {
		if !isToken(name) {
			r.complain(field, "%q is no header's name", name)
		} else if why := stays(name, provider); why != "" {
			r.complain(field, "%s %s and is never passed on", name, why)
		}
	}
}

// isToken says whether a text is a token of RFC 9110 section 5.6.2.
func isToken(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsFunc(name, func(r rune) bool {
		letterOrDigit := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letterOrDigit && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// forward gives the headers that consumers get, in the order of the setting. The
// signature of a generic source is under a name of its own choosing.
func (s *Settings) forward(header http.Header, provider *source.Provider) []delivery.Header {
	names := s.ForwardHeaders
	if names == nil {
		names = eventHeaders[provider.Name]
	}
	var forwarded []delivery.Header
	total := 0
	add := func(name string) {
		for _, value := range header.Values(name) {
			total += len(name) + len(value)
			if total <= maxForwardedBytes && utf8.ValidString(value) {
				forwarded = append(forwarded, delivery.Header{Name: name, Value: value})
			}
		}
	}
	for _, name := range names {
		if stays(name, provider) == "" && (s.Generic == nil || !strings.EqualFold(name, s.Generic.Header)) {
			add(name)
		}
	}
	if s.AsReceived {
		add("Content-Encoding")
	}
	return forwarded
}
