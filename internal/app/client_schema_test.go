package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// schemas pairs the client's types with those of the API's document.
var schemas = map[string]any{
	"Attempt": client.Attempt{}, "Delivery": client.Delivery{}, "Endpoint": client.Endpoint{}, "EndpointPatch": client.EndpointPatch{},
	"Event": client.Event{}, "EventHeader": client.EventHeader{}, "EventList": client.EventPage{}, "Fault": client.Fault{}, "Key": client.Key{},
	"ListDelivery": client.Page[client.Delivery]{}, "NewEndpoint": client.NewEndpoint{}, "NewKey": client.NewKey{}, "NewPolicy": client.NewPolicy{}, "PortalLink": client.PortalLink{},
	"NewSecret": client.NewSecret{}, "NewTenant": client.NewTenant{}, "Policy": client.Policy{}, "Published": client.Published{},
	"Recovery": client.Recovery{}, "Replayed": client.Replayed{}, "Secret": client.Secret{}, "Signal": client.Signal{}, "Tenant": client.Tenant{},
	"TenantPatch": client.TenantPatch{}, "TestResult": client.TestResult{},
}

type openAPI struct {
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct{ Enum []any }
		}
	}
}

// The client's types have every member that the API's have, and no other: those
// who change one of the two are told about the other here.
func TestClient_KnowsTheAPIsTypes(t *testing.T) {
	t.Parallel()
	options := testOptions(pgtest.DSN(t))
	options.Roles = []app.Role{app.RoleAPI}
	c := start(t, options).client()
	document, err := client.Do[openAPI](t.Context(), c, client.Request{Method: http.MethodGet, Path: "/openapi.json"})
	require.NoError(t, err)
	for name, value := range schemas {
		var described []string
		for property := range document.Components.Schemas[name].Properties {
			described = append(described, property)
		}
		require.ElementsMatch(t, described, membersOf(reflect.TypeOf(value)), name)
	}

	var codes []string
	for _, code := range document.Components.Schemas["Problem"].Properties["code"].Enum {
		codes = append(codes, code.(string))
	}
	require.ElementsMatch(t, codes, clientCodes(t))
}

// membersOf are the JSON members of a struct.
func membersOf(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			names = append(names, membersOf(field.Type)...)
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}

// clientCodes are the client's constants of type Code, which only its source
// lists.
func clientCodes(t *testing.T) (codes []string) {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), "../../client/codes.go", nil, 0)
	require.NoError(t, err)
	for node := range ast.Preorder(source) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			continue
		}
		require.True(t, slices.ContainsFunc(spec.Names, func(name *ast.Ident) bool { return strings.HasPrefix(name.Name, "Code") }))
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		codes = append(codes, code)
	}
	return codes
}
