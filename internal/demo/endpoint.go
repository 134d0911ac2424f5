package demo

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/receiver"
	"github.com/malotehq/malote/webhook"
)

type digest = [sha256.Size]byte

// endpoint is one of the demo's: what is registered, and the receiver behind it.
type endpoint struct {
	role
	tenant   string // slug
	id       string
	contract *policy.Policy
	receiver *receiver.Receiver

	mu sync.Mutex
	// data has, by webhook-id, what the first body held as the publisher's data.
	data map[string]digest
}

// title is how people call it.
func (e *endpoint) title() string {
	if e.character.label == "" {
		return e.tenant + ": " + e.name
	}
	return fmt.Sprintf("%s: %s (%s)", e.tenant, e.name, e.character.label)
}

func (e *endpoint) subscribes(eventType string) bool {
	subscription := delivery.Endpoint{EventTypes: e.types}
	return subscription.Subscribes(eventType)
}

// observe takes down what a genuine request carried. The receiver calls it with
// one arrival at a time.
func (e *endpoint) observe(arrival *receiver.Arrival) {
	if !arrival.Verdict.Genuine() || arrival.Repeated {
		return
	}
	inner, found := unwrap(e.contract.Envelope, arrival.Body)
	if !found {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.data[arrival.ID] = sha256.Sum256(inner)
}

// dataOf is the digest of the data that came under an id.
func (e *endpoint) dataOf(id string) (digest, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	sum, found := e.data[id]
	return sum, found
}

// unwrap finds the publisher's bytes in a body. They are not decoded.
func unwrap(envelope policy.Envelope, body []byte) (data []byte, found bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil, false
	}
	for _, member := range envelope.Members {
		if member.Value == policy.Data {
			data, found = members[member.Name]
		}
	}
	return data, found
}

// open makes the receiver and listens. Each endpoint has a port of its own, as
// each customer has a server. The address has a part that no other run has:
// what an earlier one left in the queue is not ours.
func (e *endpoint) open(ctx context.Context, run string, secret webhook.Secret) (url string, serve func() error, err error) {
	verifier, err := webhook.NewVerifier([]webhook.Secret{secret}, webhook.WithScheme(schemeOf(e.contract)))
	if err != nil {
		return "", nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listening for %s: %w", e.title(), err)
	}
	e.data = make(map[string]digest)
	e.receiver = receiver.New(receiver.Options{
		Verifier: verifier, Manner: e.character.manner(e.contract.Deadline), Observe: e.observe,
	})
	path := "/" + run + "/" + e.name
	mux := http.NewServeMux()
	mux.Handle(path, e.receiver)
	return "http://" + listener.Addr().String() + path, func() error {
		return receiver.ServeHandler(ctx, listener, mux)
	}, nil
}

func schemeOf(contract *policy.Policy) webhook.Scheme {
	if contract.Signature.Scheme == policy.TimestampHex {
		return webhook.SchemeHex
	}
	return webhook.SchemeStandard
}
