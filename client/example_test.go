package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/malotehq/malote/client"
)

// malote stands in for a running Malote in these examples.
func malote(answers map[string]string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := answers[r.Method+" "+r.URL.RequestURI()]
		if !known {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			body = `{"code":"not_found","detail":"There is nothing with this id, or it is not yours."}`
		}
		fmt.Fprintln(w, body)
	}))
}

// Publish once, however often this runs: the key is made from what happened.
func ExampleClient_Publish() {
	server := malote(map[string]string{
		"POST /v1/events": `{"id":"evt_01k9w3zq4xf8ea7m2v6t5c1hbg","duplicate":false,"deliveries":1,"skipped":0}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment") // os.Getenv("MALOTE_API_KEY"), in earnest
	if err != nil {
		log.Fatal(err)
	}

	published, err := c.Publish(context.Background(), client.NewEvent{
		Tenant:         "acme",
		Type:           "invoice.paid",
		Data:           json.RawMessage(`{"invoice": 42, "amount": 19.90}`), // sent and signed in these very bytes
		IdempotencyKey: "invoice-42-paid",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(published.ID, published.Deliveries, published.Duplicate)
	// Output:
	// evt_01k9w3zq4xf8ea7m2v6t5c1hbg 1 false
}

// Keep the secret where the receiver verifies signatures: package webhook does.
func ExampleClient_CreateEndpoint() {
	server := malote(map[string]string{
		"POST /v1/webhook_endpoints": `{"id":"whe_01k9w3zq4xf8ea7m2v6t5c1hbg","status":"active","secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment")
	if err != nil {
		log.Fatal(err)
	}

	endpoint, err := c.CreateEndpoint(context.Background(), client.NewEndpoint{
		Tenant: "acme", URL: "https://hooks.acme.example/in", EventTypes: []string{"invoice.*"},
	})
	switch {
	case errors.Is(err, client.CodeURLNotAllowed):
		fmt.Println("choose another address:", err)
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println(endpoint.ID, endpoint.Status, endpoint.Secret != "")
	}
	// Output:
	// whe_01k9w3zq4xf8ea7m2v6t5c1hbg active true
}

// Send again what an endpoint missed, and what is left is a person's to decide.
func ExampleClient_Deliveries() {
	server := malote(map[string]string{
		"GET /v1/webhook_deliveries?limit=250&state=dead&tenant=acme": `{"data":[
			{"id":"whd_2","event_type":"invoice.paid","state":"dead","dead_reason":"attempts_exhausted"},
			{"id":"whd_1","event_type":"invoice.sent","state":"dead","dead_reason":"gone"}],"next_cursor":null}`,
		"POST /v1/webhook_deliveries/whd_2/replay": `{"id":"whd_2","url":"https://hooks.acme.example/in"}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment")
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	for delivery, err := range c.Deliveries(ctx, client.DeliveryFilter{Tenant: "acme", State: client.StateDead}) {
		if err != nil {
			log.Fatal(err) // the list ends here
		}
		if delivery.DeadReason == "gone" {
			fmt.Println(delivery.ID, "was refused for good")
			continue
		}
		replayed, err := c.ReplayDelivery(ctx, delivery.ID)
		if errors.Is(err, client.CodeDeliveryNotReplayable) {
			continue // somebody was quicker
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(replayed.ID, "goes to", replayed.URL)
	}
	// Output:
	// whd_2 goes to https://hooks.acme.example/in
	// whd_1 was refused for good
}

// Compare what was published with what should have been, every event once: each
// run begins where the one before was complete.
func ExampleClient_EventPages() {
	server := malote(map[string]string{
		"GET /v1/events?limit=250&since=2026-03-01T00%3A00%3A00Z&tenant=acme": `{"data":[{"id":"evt_1","external_id":"invoice-42"}],
			"next_cursor":"c1","complete_until":"2026-03-01T12:00:00.000Z"}`,
		"GET /v1/events?cursor=c1&limit=250&since=2026-03-01T00%3A00%3A00Z&tenant=acme": `{"data":[{"id":"evt_2","external_id":"invoice-43"}],
			"next_cursor":null,"complete_until":"2026-03-01T23:59:58.750Z"}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment")
	if err != nil {
		log.Fatal(err)
	}

	since := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) // as the last run has left it
	for page, err := range c.EventPages(context.Background(), client.EventFilter{Tenant: "acme", Since: since}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, event := range page.Data {
			fmt.Println(event.ExternalID)
		}
		since = page.CompleteUntil // keep it: the next run's Since
	}
	fmt.Println("next time from", since.Format(time.RFC3339Nano))
	// Output:
	// invoice-42
	// invoice-43
	// next time from 2026-03-01T23:59:58.75Z
}

// What programs branch on is the code; the rest is for people.
func ExampleError() {
	server := malote(nil)
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment")
	if err != nil {
		log.Fatal(err)
	}

	_, err = c.Delivery(context.Background(), "whd_1")
	if errors.Is(err, client.CodeNotFound) {
		fmt.Println("there is no such delivery")
	}
	var failed *client.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Status, failed.Detail)
	}
	// Output:
	// there is no such delivery
	// 404 There is nothing with this id, or it is not yours.
}

// Lists that have no method of their own.
func ExampleList() {
	server := malote(map[string]string{
		"GET /v1/sources?limit=250&tenant=acme": `{"data":[{"id":"src_1","provider":"stripe"}],"next_cursor":null}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment")
	if err != nil {
		log.Fatal(err)
	}

	type source struct{ ID, Provider string }
	query := url.Values{"tenant": {"acme"}, "limit": {"250"}}
	for one, err := range client.List[source](context.Background(), c, "/v1/sources", query) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(one.ID, one.Provider)
	}
	// Output:
	// src_1 stripe
}

// Operations that have no method of their own.
func ExampleDo() {
	server := malote(map[string]string{"POST /v1/sources/src_1/pause": `{"id":"src_1","status":"paused"}`})
	defer server.Close()
	c, err := client.New(server.URL, "mlt_from_the_environment")
	if err != nil {
		log.Fatal(err)
	}

	type source struct{ ID, Status string }
	paused, err := client.Do[source](context.Background(), c, client.Request{
		Method: http.MethodPost, Path: client.Path("v1", "sources", "src_1", "pause"), Repeatable: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paused.ID, paused.Status)
	// Output:
	// src_1 paused
}
