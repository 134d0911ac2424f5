package api

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// keyScheme names the API key in the document's security schemes.
const keyScheme = "key"

// What the document says beyond OpenAPI, for readers and for generators of
// clients.
const (
	scopesExtension  = "x-scopes"      // the scopes that may call an operation
	codesExtension   = "x-codes"       // the codes of its problems
	samplesExtension = "x-codeSamples" // how it is called
)

// introduction is CommonMark, of which the page reads paragraphs, headings and
// code only.
const introduction = "Malote takes events in and delivers each of them, signed, to the webhook endpoints that subscribe to it.\n\n" +
	"## Keys and scopes\n\n" +
	"Every request carries an API key: `Authorization: Bearer <key>`. The key's scope says what it may do: `admin` everything, " +
	"`tenant` everything with the things of its own tenant, `publish` only publish, `read` only read. " +
	"What belongs to another tenant does not exist for a key: asking for it by its name or id gets 404, and lists leave it out. " +
	"A revoked key stops working within 5 seconds.\n\n" +
	"## Requests and answers\n\n" +
	"Bodies are JSON in UTF-8, of at most 256 KiB unless the operation says otherwise. Members and parameters that are not known " +
	"are refused, not ignored; those that may be left out may also be `null` or, in a query, empty. " +
	"Answers may gain members in later versions: ignore those that you do not know. " +
	"Times are RFC 3339, in answers always in UTC with milliseconds; durations are texts such as `30s`, `2m` or `72h`.\n\n" +
	"## Lists\n\n" +
	"Lists take `limit` (default 50, at most 250) and `cursor`, and answer with one page: its rows as `data`, and `next_cursor`. " +
	"Pass `next_cursor` on as it came, with the same filters, until it is `null`; a page before that may be short. " +
	"Rows that are added meanwhile make no holes and no repeats. Policies, secrets and providers are few: they always come on one page.\n\n" +
	"## Idempotency\n\n" +
	"Requests that create something take an `Idempotency-Key` header. A repeat with the same key and the same body, byte for byte, " +
	"creates nothing: it gets what the first one created, with the status 200 and without the secret that is shown only once. " +
	"With another body it gets 409 `idempotency_key_reused`. Keys are remembered for 7 days. " +
	"Publishing has the member `idempotency_key` for this, and says `duplicate`.\n\n" +
	"## Failures\n\n" +
	"Every failure is an `application/problem+json` document (RFC 9457). Its `code` never changes its meaning or its status, so that " +
	"programs can rely on it; `detail` tells people what to do, and `errors` names the parts of the request that are wrong."

func configOf(s *server) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Malote", Version: versionOr(s.Version), Description: introduction},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					keyScheme: {Type: "http", Scheme: "bearer", Description: "An API key."},
				},
			},
			Tags: tags,
		},
		Formats:       huma.DefaultFormats,
		DefaultFormat: "application/json",
	}
}

func versionOr(version string) string {
	if version == "" {
		return "dev"
	}
	return version
}

// schemaName drops the ending that tells our JSON types from what they show.
func schemaName(t reflect.Type, hint string) string {
	return strings.ReplaceAll(huma.DefaultSchemaNamer(t, hint), "JSON", "")
}

// The tags, in the order of the documentation.
const (
	tagEvents     = "Events"
	tagEndpoints  = "Webhook endpoints"
	tagSecrets    = "Secrets"
	tagDeliveries = "Webhook deliveries"
	tagSources    = "Sources"
	tagSignals    = "Signals"
	tagPolicies   = "Policies"
	tagTenants    = "Tenants"
	tagKeys       = "API keys"
	tagUsers      = "Users"
	tagAudit      = "Audit log"
	tagHealth     = "Health"
)

var tags = []*huma.Tag{
	{Name: tagEvents, Description: "What happened, as its publisher told it."},
	{Name: tagEndpoints, Description: "Where a tenant wants events delivered."},
	{Name: tagSecrets, Description: "What an endpoint's deliveries are signed with. Several sign at once during a rotation."},
	{Name: tagDeliveries, Description: "One event's way to one endpoint, with its attempts. A delivery is `pending`, `sending`, `delivered`, `dead` (given up), `skipped` (recorded, but not to be sent: see `skip_reason`), `superseded` (by a newer one with its coalescing key), `resolved` (a dead one that a person closed) or `discarded` (a pending one that a person closed)."},
	{Name: tagSources, Description: "Where other people's webhooks come in: verified, told from repetitions, committed, and only then acknowledged. What they bring are events like others."},
	{Name: tagSignals, Description: "What somebody should hear of, such as deliveries that died."},
	{Name: tagPolicies, Description: "Delivery contracts: deadlines, retries, headers, signatures."},
	{Name: tagTenants, Description: "Whose events and endpoints they are."},
	{Name: tagKeys, Description: "Who may call this interface, and what for."},
	{Name: tagUsers, Description: "Who may open the dashboard."},
	{Name: tagAudit, Description: "Who changed what."},
	{Name: tagHealth, Description: "How Malote itself is doing."},
}

// serveDocument serves the OpenAPI document and the page made from it, both
// made once: nothing is registered afterwards.
func (r *routes) serveDocument() {
	openAnswers(r.api.OpenAPI())
	for operation := range operationsOf(r.api.OpenAPI()) {
		own, _ := operation.Extensions[codesExtension].([]Code)
		operation.Extensions[codesExtension] = codesOf(operation, own)
	}
	document, err := json.Marshal(r.api.OpenAPI())
	if err != nil {
		panic(fmt.Sprintf("api: the OpenAPI document cannot be encoded: %v", err))
	}
	r.serveFile("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document) // the client may have gone
	})
	r.serveDocs(r.api.OpenAPI())
}

// openAnswers says that answers may have members that the document does not
// list: later versions add some. Requests may not.
func openAnswers(document *huma.OpenAPI) {
	schemas := document.Components.Schemas
	for operation := range operationsOf(document) {
		for _, response := range operation.Responses {
			for _, media := range response.Content {
				openSchema(schemas, media.Schema)
			}
		}
	}
}

// operationsOf goes through all operations, in no order.
func operationsOf(document *huma.OpenAPI) iter.Seq[*huma.Operation] {
	return func(yield func(*huma.Operation) bool) {
		for _, item := range document.Paths {
			for _, operation := range []*huma.Operation{item.Get, item.Post, item.Patch, item.Delete} {
				if operation != nil && !yield(operation) {
					return
				}
			}
		}
	}
}

func openSchema(schemas huma.Registry, schema *huma.Schema) {
	if schema == nil {
		return
	}
	if schema.Ref != "" {
		schema = schemas.SchemaFromRef(schema.Ref)
	}
	openSchema(schemas, schema.Items)
	if schema.AdditionalProperties != false {
		return // open already
	}
	schema.AdditionalProperties = nil
	for _, property := range schema.Properties {
		openSchema(schemas, property)
	}
}
