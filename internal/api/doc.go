// Package api is Malote's JSON interface over HTTP: it reads requests strictly,
// asks who sends them and what they may do, calls the stores through small
// interfaces of its own, and says what came of it.
//
// Every failure is an application/problem+json document (RFC 9457) with a
// stable code; the codes are enumerated once, in codes.go. The OpenAPI document
// at /openapi.json and the page at /docs come from the same types that the
// handlers use.
//
// Publishing bypasses the machinery of the other operations: its bodies are
// never decoded and encoded again, so that "data" reaches the publisher as the
// very bytes that came.
//
// The package must never know SQL or the stores, how deliveries are sent, or
// the dashboard's sessions.
package api
