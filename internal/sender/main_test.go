package sender

import (
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

// proxyCalls counts the connections to the proxy that the environment names
// during all tests.
var proxyCalls atomic.Int32

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	log.SetOutput(io.Discard) // net/http reports there what odd receivers send unasked
	trap, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "listening for the proxy's callers:", err)
		return 1
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := trap.Accept()
			if err != nil {
				return
			}
			proxyCalls.Add(1)
			conn.Close()
		}
	}()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		os.Setenv(name, "http://"+trap.Addr().String())
	}
	code := m.Run()
	trap.Close()
	<-done
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Deadlines of the tests: patient ones must not pass, hasty ones must.
const (
	patient = 10 * time.Second
	hasty   = 600 * time.Millisecond
)

// standard reads bodies the way S01 does, fairQueue the way F01 does.
func standard(deadline time.Duration) *policy.Policy {
	return &policy.Policy{
		Name:     "standard",
		Deadline: deadline,
		Success:  []policy.Condition{"2xx"},
		Response: policy.Response{ReadLimit: 64 << 10, KeepFailed: 1 << 10},
		Headers: policy.Headers{
			ID: "webhook-id", Timestamp: "webhook-timestamp", Signature: "webhook-signature",
			Attempt: "webhook-attempt", Trigger: "webhook-trigger",
		},
		Signature: policy.Signature{Scheme: policy.StandardWebhooks},
	}
}

func fairQueue(deadline time.Duration) *policy.Policy {
	p := standard(deadline)
	p.Name, p.Response = "fair-queue", policy.Response{}
	p.Headers = policy.Headers{ID: "webhook-id", Timestamp: "webhook-timestamp", Signature: "webhook-signature"}
	p.Signature.Scheme = policy.TimestampHex
	return p
}

// dracma is standard but for D03.
func dracma(deadline time.Duration) *policy.Policy {
	p := standard(deadline)
	p.Name, p.Response = "dracma", policy.Response{ReadLimit: 64 << 10, BrokenBodyFails: true}
	return p
}

// claimFor is a claim of a small event for the URL, with one secret.
func claimFor(url string) *delivery.Claim {
	now := time.Now()
	shard := delivery.ShardOf("acme")
	event := delivery.NewID(shard, now, rand.Reader)
	return &delivery.Claim{
		DeliveryID: delivery.NewDeliveryID(event, rand.Reader),
		Event: delivery.Event{
			ID: event, Tenant: "acme", Type: "invoice.paid",
			Body: []byte(`{"type":"invoice.paid","data":{"total":"10.00"}}`), ContentType: "application/json",
		},
		Endpoint: &delivery.Endpoint{
			ID: delivery.NewID(shard, now, rand.Reader), Tenant: "acme", URL: url,
			Secrets: []delivery.Secret{newSecret(webhook.GenerateSecret(), time.Time{})},
		},
		Attempt: 1, CycleAttempt: 1, Trigger: delivery.TriggerSchedule,
	}
}

func newSecret(secret webhook.Secret, expires time.Time) delivery.Secret {
	return delivery.Secret{ID: delivery.NewID(0, time.Now(), rand.Reader), Value: secret.Reveal(), ExpiresAt: expires}
}

// newSender may call loopback, and names on the given ports.
func newSender(t testing.TB, options Options, ports ...uint16) *Sender {
	t.Helper()
	guard, err := egress.NewGuard(egress.Rules{
		Ports:             ports,
		AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	require.NoError(t, err)
	options.Guard = guard
	if options.Version == "" {
		options.Version = "0.0.0-test"
	}
	sender := New(options)
	t.Cleanup(sender.Close)
	return sender
}

// send makes one attempt with a sender of its own and checks what holds for
// every outcome.
func send(t testing.TB, s *Sender, claim *delivery.Claim, p *policy.Policy) delivery.Outcome {
	t.Helper()
	now := time.Now()
	outcome := s.Send(t.Context(), claim, p, now)
	checkOutcome(t, p, outcome)
	require.Equal(t, now, outcome.StartedAt)
	return outcome
}

func checkOutcome(t testing.TB, p *policy.Policy, outcome delivery.Outcome) {
	t.Helper()
	require.Equal(t, outcome.Error == "", outcome.ErrorText == "", "a sentence for every error, and only for errors: %+v", outcome)
	require.True(t, outcome.Error != "" || outcome.Status >= 100, "neither answer nor error: %+v", outcome)
	require.True(t, outcome.Status == 0 || outcome.Status >= 100 && outcome.Status <= 999, "no status: %+v", outcome)
	require.LessOrEqual(t, len(outcome.Response), p.Response.KeepFailed)
	require.False(t, outcome.Status/100 == 2 && len(outcome.Response) > 0, "nothing is kept of a success (S01)")
	require.Positive(t, outcome.Duration)
	require.Less(t, outcome.Duration, p.Deadline+2*time.Second, "the deadline holds for everything: %+v", outcome)
	require.Less(t, len(outcome.ErrorText), 200)
	require.False(t, strings.ContainsAny(outcome.ErrorText, "\r\n"))
}
