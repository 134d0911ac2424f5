package maintenance

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Storage is what maintenance needs of the database.
type Storage interface {
	// ClaimTask says whether this process is to run the task now.
	ClaimTask(ctx context.Context, name string, every time.Duration) (bool, error)
	// ExpiredLeases gives claims whose lease ran out, and the database's time.
	ExpiredLeases(ctx context.Context, limit int) ([]*delivery.Claim, time.Time, error)
	Complete(ctx context.Context, completions []policy.Completion) (policy.Completed, error)
	// Sweep wakes lanes that should have been and says how many there were.
	Sweep(ctx context.Context) (int, error)
	CreatePartitions(ctx context.Context, now time.Time) error
	// ExpireKeys and CloseOrphans do at most limit rows and say how many.
	ExpireKeys(ctx context.Context, limit int) (int, error)
	CloseOrphans(ctx context.Context, limit int) (int, error)
}

// Policies finds a policy by its name.
type Policies interface {
	Policy(name string) (*policy.Policy, error)
}

// task is one periodic duty. A run must end by itself within its period or so;
// two at once must do no harm.
type task struct {
	name    string
	every   time.Duration
	run     func(context.Context) error
	timeout time.Duration // 0: taskTimeout
}

// rowsAtOnce bounds a transaction of a task.
const rowsAtOnce = 1000

func (m *Maintenance) tasks() []task {
	return []task{
		{name: "rescue", every: time.Second, run: m.rescue},                    // F12: soon after the lease ends
		{name: "sweep", every: 5 * time.Second, run: m.sweep},                  // I4
		{name: "close_orphans", every: 15 * time.Second, run: m.closeOrphans},  // I9: deliveries of deleted endpoints
		{name: "expire_keys", every: time.Minute, run: m.expireKeys},           // event_keys stays as long as its window
		{name: "create_partitions", every: time.Hour, run: m.createPartitions}, // two weeks ahead
	}
}

// leasesAtOnce bounds a transaction that gives up claims.
const leasesAtOnce = 256

// rescue gives up claims whose workers were lost. The policy decides, as after
// any attempt: the delivery goes back to the queue, or is dead if this was the
// last attempt that it had. Where at most one request may ever be made, the
// delivery is dead: nobody knows whether it was (A06).
func (m *Maintenance) rescue(ctx context.Context) error {
	for {
		claims, now, err := m.options.Storage.ExpiredLeases(ctx, leasesAtOnce)
		if err != nil || len(claims) == 0 {
			return err
		}
		completions := make([]policy.Completion, len(claims))
		for i, claim := range claims {
			completions[i] = m.giveUp(claim, now)
		}
		rescued, settled, err := m.complete(ctx, completions)
		if rescued > 0 {
			m.options.Log.Warn("claims of lost workers were given up", "claims", rescued)
			m.options.Observer.Rescued(rescued)
			m.options.Signal()
		}
		// What is not settled would be found again at once: it waits for the
		// next turn.
		if err != nil || settled < leasesAtOnce {
			return err
		}
	}
}

func (m *Maintenance) giveUp(claim *delivery.Claim, now time.Time) policy.Completion {
	outcome := delivery.Outcome{
		Error: delivery.InterruptedSend, ErrorText: delivery.InterruptedSend.Explain(),
		StartedAt: claim.Token.Time(), // the claim's time, by the lost worker's clock
	}
	return policy.Completion{
		Kind: policy.Expired, Claim: claim, Outcome: outcome, CompletedAt: now,
		Decision: m.decide(claim, outcome, now).Bounded(claim, outcome),
	}
}

// decide sends a delivery back to the queue if its policy cannot be read: who
// claims it next will not send it without, and meanwhile its slot is free.
func (m *Maintenance) decide(claim *delivery.Claim, outcome delivery.Outcome, now time.Time) policy.Decision {
	contract, err := m.options.Policies.Policy(claim.Endpoint.Policy)
	if err != nil {
		m.options.Log.Error("an endpoint's policy cannot be read; its delivery goes back to the queue",
			"delivery", claim.DeliveryID.Format(delivery.DeliveryPrefix), "policy", claim.Endpoint.Policy, "error", err)
		return policy.Decision{
			State: delivery.Pending, NextAttemptAt: now, ErrorCode: outcome.Error, Cause: policy.ByLostWorker,
		}
	}
	progress := policy.Progress{
		CycleAttempt: claim.CycleAttempt, CycleStartedAt: claim.CycleStartedAt,
		FirstAttemptAt: claim.FirstAttemptAt, ScheduledAt: claim.ScheduledAt,
	}
	return policy.Decide(contract, progress, outcome, now, m.options.Random)
}

// complete records completions, each by itself if together they cannot be: one
// that the database refuses must not keep all others from coming back (G10). It
// says how many were rescued, and how many need no second look: those, and what
// turned out to be completed by its worker after all.
func (m *Maintenance) complete(ctx context.Context, completions []policy.Completion) (rescued, settled int, err error) {
	result, err := m.options.Storage.Complete(ctx, completions)
	if err == nil {
		for _, n := range result.States {
			rescued += n
		}
		return rescued, rescued + result.Lost, nil
	}
	if len(completions) == 1 {
		return 0, 0, fmt.Errorf("giving up a claim: %w", err)
	}
	err = nil
	for i := range completions {
		if ctx.Err() != nil {
			return rescued, settled, fmt.Errorf("giving up claims: %w", ctx.Err())
		}
		r, s, aloneErr := m.complete(ctx, completions[i:i+1])
		rescued, settled = rescued+r, settled+s
		err = cmp.Or(aloneErr, err)
	}
	return rescued, settled, err
}

func (m *Maintenance) sweep(ctx context.Context) error {
	stranded, err := m.options.Storage.Sweep(ctx)
	if stranded > 0 {
		m.options.Log.Warn("lanes were stranded; they are awake now", "lanes", stranded)
		m.options.Observer.Stranded(stranded)
		m.options.Signal()
	}
	return err
}

func (m *Maintenance) closeOrphans(ctx context.Context) error {
	return inBatches(ctx, m.options.Storage.CloseOrphans)
}

func (m *Maintenance) expireKeys(ctx context.Context) error {
	return inBatches(ctx, m.options.Storage.ExpireKeys)
}

func (m *Maintenance) createPartitions(ctx context.Context) error {
	return m.options.Storage.CreatePartitions(ctx, m.options.Now())
}

// inBatches repeats until a batch is not full.
func inBatches(ctx context.Context, batch func(context.Context, int) (int, error)) error {
	for {
		n, err := batch(ctx, rowsAtOnce)
		if err != nil || n < rowsAtOnce {
			return err
		}
	}
}
