package contractpage

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// What the example is made of. The secret is printed, and nobody's.
const (
	exampleSecret = "whsec_dGhpcyBzZWNyZXQgaXMgcHJpbnRlZCBvbiBhIHBhZ2U="
	exampleType   = "invoice.paid"
	exampleData   = `{"invoice":"INV-2041","version":3,"amount":"149.90","currency":"BRL"}`
)

var (
	exampleAccepted = time.Date(2026, 3, 2, 12, 0, 0, 250_000_000, time.UTC)
	exampleOccurred = exampleAccepted.Add(-1133 * time.Millisecond)
)

// example is a request as the policy has it sent, signed with exampleSecret.
type example struct {
	id, timestamp, signature string
	body                     []byte
	text                     string // the whole request
}

func exampleOf(p *policy.Policy) example {
	event := delivery.Event{
		ID:   delivery.NewID(0, exampleAccepted, bytes.NewReader([]byte("example!"))),
		Type: exampleType, OccurredAt: exampleOccurred, AcceptedAt: exampleAccepted,
	}
	sent := exampleAccepted.Add(time.Second)
	e := example{id: event.ID.Format(delivery.EventPrefix), timestamp: fmt.Sprint(sent.Unix())}
	e.body = p.Envelope.Render(policy.Fields{ID: e.id, Type: event.Type, OccurredAt: event.OccurredAt, AcceptedAt: event.AcceptedAt}, []byte(exampleData))
	e.signature = signExample(p.Signature.Scheme, e)

	text := &strings.Builder{}
	fmt.Fprintf(text, "POST /webhooks HTTP/1.1\nHost: hooks.example.com\n")
	header := func(name, value string) {
		if name != "" {
			fmt.Fprintf(text, "%s: %s\n", name, value)
		}
	}
	names := p.Headers
	header("User-Agent", "Malote/1.0")
	header("Content-Type", policy.EnvelopeContentType)
	header("Content-Length", fmt.Sprint(len(e.body)))
	header(names.ID, e.id)
	header(names.Timestamp, e.timestamp)
	header(names.Signature, e.signature)
	header(names.Attempt, "1")
	header(names.Trigger, string(delivery.TriggerSchedule))
	header(names.EventType, event.Type)
	header(names.Trace, exampleTrace)
	header(names.IdempotencyKey, names.IdempotencyValue(&event))
	for _, extra := range names.Extra {
		header(extra.Name, extra.Value)
	}
	fmt.Fprintf(text, "\n%s", e.body)
	e.text = text.String()
	return e
}

// signExample is a signature of the scheme, put together by hand: this package
// knows no keys but the one above.
func signExample(scheme policy.Scheme, e example) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(exampleSecret, "whsec_"))
	sum := hmac.New(sha256.New, key)
	if scheme == policy.TimestampHex {
		fmt.Fprintf(sum, "%s.%s", e.timestamp, e.body)
		return "v1=" + hex.EncodeToString(sum.Sum(nil))
	}
	fmt.Fprintf(sum, "%s.%s.%s", e.id, e.timestamp, e.body)
	return "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// inJSON is a member's name as the body has it, without the quotation marks.
func inJSON(name string) string {
	quoted, _ := json.Marshal(name) // every string has a JSON form
	return strings.Trim(string(quoted), `"`)
}

// exampleTrace is W3C Trace Context's own example.
const exampleTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
