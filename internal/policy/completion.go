package policy

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// CompletionKind says how a claim ended.
type CompletionKind string

// The ways in which a claim ends.
const (
	// Sent: an attempt was made, or failed before it could be.
	Sent CompletionKind = "sent"
	// Unsent: the worker hands the delivery back untouched. No attempt counts.
	Unsent CompletionKind = "unsent"
	// Expired: the lease ran out and nobody knows what became of the attempt
	// (F12). It is recorded as interrupted if the claim was not completed after all.
	Expired CompletionKind = "expired"
)

// Completion is a claim that ended, with what follows from it. Whoever stores
// it does so only where the claim is still the delivery's current one; where it
// is not, the attempt is recorded and nothing else changes (I5).
type Completion struct {
	Kind        CompletionKind
	Claim       *delivery.Claim
	Outcome     delivery.Outcome // Sent and Expired
	Decision    Decision         // Sent and Expired
	Circuit     *circuit.Settings
	CompletedAt time.Time // by the database's clock
}

// Bounded narrows a decision to what the delivery allows beyond its policy. A
// test gets one attempt. Where an endpoint wants every event at most once (A06),
// nothing is repeated unless no request can have left. Where nobody knows what
// came of an attempt that may not be repeated, the delivery is dead as
// interrupted. What is overruled has no Cause in the policy.
func (d Decision) Bounded(claim *delivery.Claim, outcome delivery.Outcome) Decision {
	isTest := claim.Trigger == delivery.TriggerTest
	mayRepeat := !isTest && (!claim.Endpoint.AtMostOnce || NeverSent(outcome.Error))
	if d.State != delivery.Pending || mayRepeat {
		return d
	}
	cause := ByAtMostOnce
	if isTest {
		cause = ByTest
	}
	d.NextAttemptAt = time.Time{}
	if outcome.Error == delivery.InterruptedSend {
		return d.dead(delivery.Interrupted, cause)
	}
	return d.dead(delivery.AttemptsExhausted, cause)
}

// NeverSent says whether an error comes before the first byte of a request, or
// says itself that nothing was taken: what ended so cannot have arrived.
func NeverSent(code delivery.ErrorCode) bool { return neverSent[code] }

var neverSent = map[delivery.ErrorCode]bool{
	delivery.DNS: true, delivery.ConnectRefused: true, delivery.Connect: true,
	delivery.BlockedAddress: true, delivery.URLNotAllowed: true, delivery.NoSecret: true,
	// A mail server that refuses a mail does not have it.
	delivery.SMTPAuth: true, delivery.SMTPDeferred: true, delivery.SMTPRejected: true,
}

// Completed is what a batch of completions came to.
type Completed struct {
	// Woken says that lanes may have work now, or have it at another time than
	// was known.
	Woken bool
	// Lost counts completions whose claim was no longer theirs (I5).
	Lost int
	// States counts the deliveries of the others by their state now.
	States map[delivery.State]int
	// Signals counts what somebody should hear of: a circuit's, and delivery.DeliveryDead.
	Signals map[circuit.SignalKind]int
	// Next is what was claimed in their transaction. Beside NextErr it cannot be
	// sent, and must be completed as unsent.
	Next    delivery.Claimed
	NextErr error
}

// Onward asks that completions claim what takes the place of what ended. The zero
// value asks for nothing.
type Onward struct {
	Slots  int           // attempts that may begin
	Except []delivery.ID // endpoints of which nothing may be claimed so
}
