package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const (
	// keyScheme names the API key in the document's security schemes.
	keyScheme = "key"

	// scopesExtension lists the scopes that may call an operation.
	scopesExtension = "x-scopes"
)

const introduction = `Malote takes events in and delivers each of them to the webhook endpoints that subscribe to it.

Send an API key with every request, as "Authorization: Bearer <key>". A key has a scope: "admin" may do everything, "tenant" everything with the things of its own tenant, "publish" only publish, "read" only read. What belongs to another tenant does not exist for a key: the answer is 404. A revoked key stops working within 5 seconds.

Bodies are JSON in UTF-8. Members that are not known are refused, not ignored. Times are RFC 3339 in UTC with milliseconds, durations are texts such as "30s", "2m" or "72h". Every failure is an application/problem+json document (RFC 9457) whose "code" never changes its meaning.

Lists take "limit" (default 50, at most 250) and "cursor"; pass "next_cursor" on, with the same filters, until it is null.

Requests that create something take an Idempotency-Key header. A repeat with the same key and the same body gets what the first one created; with another body it gets 409 "idempotency_key_reused". Keys are remembered for 7 days.`

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
	tagPolicies   = "Policies"
	tagTenants    = "Tenants"
	tagKeys       = "API keys"
	tagHealth     = "Health"
)

var tags = []*huma.Tag{
	{Name: tagEvents, Description: "What happened, as its publisher told it."},
	{Name: tagEndpoints, Description: "Where a tenant wants events delivered."},
	{Name: tagSecrets, Description: "What an endpoint's deliveries are signed with. Several sign at once during a rotation."},
	{Name: tagDeliveries, Description: "One event's way to one endpoint, with its attempts."},
	{Name: tagPolicies, Description: "Delivery contracts: deadlines, retries, headers, signatures."},
	{Name: tagTenants, Description: "Whose events and endpoints they are."},
	{Name: tagKeys, Description: "Who may call this interface, and what for."},
	{Name: tagHealth, Description: "How Malote itself is doing."},
}

// serveDocument serves the OpenAPI document and the page made from it, both
// made once: nothing is registered afterwards.
func (r *routes) serveDocument() {
	openAnswers(r.api.OpenAPI())
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
	for _, item := range document.Paths {
		for _, operation := range []*huma.Operation{item.Get, item.Post, item.Patch, item.Delete} {
			if operation == nil {
				continue
			}
			for _, response := range operation.Responses {
				for _, media := range response.Content {
					openSchema(schemas, media.Schema)
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
