package sources

import "github.com/malotehq/malote/internal/dashboard/lang"

// kind is what a field holds.
type kind int

const (
	oneLine  kind = iota
	words         // a list: one in a line
	number        // whole
	decimal       // with a point
	aChoice       // one of the field's options; the first is none
	longText      // several lines
)

// field is one setting of a source in a form. Its name is the member's path in the
// API's requests, and in the faults that the API finds.
type field struct {
	name    string
	label   lang.Text
	help    lang.Text
	kind    kind
	options []string
	example string
	maxLen  int
	need    bool
}

// group is fields that belong together.
type group struct {
	title  lang.Text
	open   bool
	fields []field
}

// groupsFor are the settings that make sense for a provider.
func groupsFor(provider string, repairsGaps bool) []group {
	groups := []group{}
	if provider == generic {
		groups = append(groups, genericGroup)
	}
	groups = append(groups, readingGroup, limitsGroup, answerGroup)
	if repairsGaps {
		repair := group{title: repairTitle}
		switch provider {
		case "github":
			repair.fields = append(repair.fields, hookFields...)
		case "stripe":
			repair.fields = append(repair.fields, typesField)
		}
		repair.fields = append(repair.fields, repairFields...)
		groups = append(groups, repair)
	}
	return groups
}

const generic = "generic"

var aboutFields = []field{
	{name: "name", label: nameText, help: nameHelp, maxLen: 100, need: true},
	{name: "description", label: descriptionText, kind: longText, maxLen: 1000},
}

var genericGroup = group{title: genericTitle, open: true, fields: []field{
	{name: "options.generic.auth", label: authText, kind: aChoice, options: []string{"", "hmac", "header_token", "bearer", "basic", "query_token", "address"}, help: authHelp},
	{name: "options.generic.header", label: headerText, example: "X-Signature", help: headerHelp},
	{name: "options.generic.prefix", label: prefixText, example: "sha256="},
	{name: "options.generic.separator", label: separatorText, example: ",", help: separatorHelp},
	{name: "options.generic.encoding", label: encodingText, kind: aChoice, options: []string{"", "hex", "base64", "base64url"}},
	{name: "options.generic.algorithm", label: algorithmText, kind: aChoice, options: []string{"", "sha256", "sha384", "sha512", "sha1"}},
	{name: "options.generic.secret_encoding", label: secretEncodingText, kind: aChoice, options: []string{"", "text", "hex", "base64"}},
	{name: "options.generic.content", label: contentText, example: "{timestamp}.{body}", help: contentHelp},
	{name: "options.generic.timestamp_header", label: timestampHeaderText, example: "X-Timestamp"},
	{name: "options.generic.timestamp_format", label: timestampFormatText, kind: aChoice, options: []string{"", "unix", "rfc3339"}},
	{name: "options.generic.parameter", label: parameterText, example: "token", help: parameterHelp},
	{name: "options.generic.id", label: idText, example: "json:data.id", help: locatorHelp},
	{name: "options.generic.type", label: typeText, example: "json:type", help: locatorHelp},
	{name: "options.generic.addresses", label: addressesText, kind: words, example: "203.0.113.0/24", help: addressesHelp},
}}

var readingGroup = group{title: readingTitle, fields: []field{
	{name: "dedupe", label: dedupeText, example: "provider", help: dedupeHelp, maxLen: 400},
	{name: "event_type_from", label: typeFromText, example: "provider", help: typeFromHelp, maxLen: 400},
	{name: "forward_headers", label: forwardText, kind: words, help: forwardHelp},
	{name: "options.filter", label: filterText, kind: longText, example: `type != "charge.updated"`, help: filterHelp, maxLen: 4096},
	{name: "options.url", label: urlText, example: "https://", help: urlHelp, maxLen: 2048},
	{name: "options.tolerance", label: toleranceText, example: "5m", help: toleranceHelp},
	{name: "options.content_encoding", label: codingText, kind: aChoice, options: []string{"", "unpack", "as_received"}},
}}

var limitsGroup = group{title: limitsTitle, fields: []field{
	{name: "options.max_body_bytes", label: maxBodyText, kind: number, example: "1048576"},
	{name: "options.rate_limit.per_second", label: perSecondText, kind: decimal, example: "50"},
	{name: "options.rate_limit.burst", label: burstText, kind: number, example: "100"},
}}

var answerGroup = group{title: answerTitle, fields: []field{
	{name: "options.success.status", label: answerStatusText, kind: number, example: "200"},
	{name: "options.success.body", label: answerBodyText},
	{name: "options.success.content_type", label: answerTypeText, example: "text/plain"},
}}

var hookFields = []field{
	{name: "options.repair.hook.owner", label: ownerText, example: "acme"},
	{name: "options.repair.hook.repository", label: repositoryText, example: "shop", help: repositoryHelp},
	{name: "options.repair.hook.id", label: hookText, kind: number, example: "4711", help: hookHelp},
}

var typesField = field{name: "options.repair.types", label: typesText, kind: words, example: "invoice.paid", help: typesHelp}

var repairFields = []field{
	{name: "options.repair.interval", label: intervalText, example: "5m", help: intervalHelp},
	{name: "options.repair.base_url", label: baseURLText, example: "https://", maxLen: 2048},
}
