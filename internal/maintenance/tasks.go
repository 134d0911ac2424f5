package maintenance

import (
	"context"
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
	name  string
	every time.Duration
	run   func(context.Context) error
}

// rowsAtOnce bounds a transaction of a task.
const rowsAtOnce = 1000

func (m *Maintenance) tasks() []task {
	return []task{
		{"rescue", time.Second, m.rescue},                    // F12: soon after the lease ends
		{"sweep", 5 * time.Second, m.sweep},                  // I4
		{"close_orphans", 15 * time.Second, m.closeOrphans},  // I9: deliveries of deleted endpoints
		{"expire_keys", time.Minute, m.expireKeys},           // event_keys stays as long as its window
		{"create_partitions", time.Hour, m.createPartitions}, // two weeks ahead
	}
}

// rescue gives up claims whose workers were lost. The policy decides, as after
// any attempt: the delivery goes back to the queue, or is dead if this was the
// last attempt that it had. Where at most one request may ever be made, the
// delivery is dead: nobody knows whether it was (A06).
func (m *Maintenance) rescue(ctx context.Context) error {
	for {
		claims, now, err := m.options.Storage.ExpiredLeases(ctx, rowsAtOnce)
		if err != nil || len(claims) == 0 {
			return err
		}
		completions := make([]policy.Completion, 0, len(claims))
		for _, claim := range claims {
			done, err := m.giveUp(claim, now)
			if err != nil {
				return err
			}
			completions = append(completions, done)
		}
		if _, err := m.options.Storage.Complete(ctx, completions); err != nil {
			return err
		}
		m.options.Log.Warn("claims of lost workers were given up", "claims", len(claims))
		m.options.Observer.Rescued(len(claims))
		if len(claims) < rowsAtOnce {
			m.options.Signal()
			return nil
		}
	}
}

func (m *Maintenance) giveUp(claim *delivery.Claim, now time.Time) (policy.Completion, error) {
	contract, err := m.options.Policies.Policy(claim.Endpoint.Policy)
	if err != nil {
		return policy.Completion{}, err
	}
	outcome := delivery.Outcome{
		Error: delivery.InterruptedSend, ErrorText: delivery.InterruptedSend.Explain(),
		StartedAt: claim.Token.Time(), // the claim's time, by the lost worker's clock
	}
	progress := policy.Progress{
		CycleAttempt: claim.CycleAttempt, CycleStartedAt: claim.CycleStartedAt,
		FirstAttemptAt: claim.FirstAttemptAt, ScheduledAt: claim.ScheduledAt,
	}
	decision := policy.Decide(contract, progress, outcome, now, m.options.Random).Bounded(claim, outcome)
	return policy.Completion{
		Kind: policy.Expired, Claim: claim, Outcome: outcome, Decision: decision,
		Circuit: &contract.Circuit, CompletedAt: now,
	}, nil
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
