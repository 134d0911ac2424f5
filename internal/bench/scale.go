package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/benchdata"
)

const (
	claimBatch  = 64
	claimCalls  = 300
	claimWarmUp = 10 // calls that are not counted
)

// scaleSizes are endpoints, and what is open of the one with the backlog.
func (b *bench) scaleSizes() (endpoints, backlogs []int) {
	if b.Full {
		return []int{1_000, 100_000, 1_000_000}, []int{1_000, 1_000_000, 10_000_000}
	}
	return []int{1_000, 20_000}, []int{1_000, 100_000}
}

func (b *bench) scaleSteps() int {
	endpoints, backlogs := b.scaleSizes()
	return len(endpoints) * len(backlogs)
}

// scale measures claims from here: no process of Malote's runs meanwhile.
func (b *bench) scale(ctx context.Context) error {
	endpoints, _ := b.scaleSizes()
	for _, n := range endpoints {
		if err := b.scaleOf(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) scaleOf(ctx context.Context, endpoints int) error {
	d, err := b.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	filling, err := d.openStore(ctx)
	if err != nil {
		return err
	}
	defer filling.Close()
	claims, err := benchdata.FillClaims(ctx, filling, endpoints)
	if err != nil {
		return err
	}
	_, backlogs := b.scaleSizes()
	filled := 0
	for _, backlog := range backlogs {
		b.step("%d endpoints, backlog of %d", endpoints, backlog)
		if err := claims.Grow(ctx, backlog-filled); err != nil {
			return err
		}
		filled = backlog
		row, err := measureClaims(ctx, d, claims)
		if err != nil {
			return err
		}
		row.Endpoints, row.Backlog = endpoints, backlog
		b.report.Scale = append(b.report.Scale, row)
	}
	return nil
}

// measureClaims times claims alone; what they took is put back in between.
func measureClaims(ctx context.Context, d *database, claims *benchdata.Claims) (report.Scale, error) {
	s, err := store.Open(ctx, store.Options{DSN: d.url}) // its plans are for the tables as they are
	if err != nil {
		return report.Scale{}, err
	}
	defer s.Close()
	var took []time.Duration
	for n := range claimWarmUp + claimCalls {
		began := time.Now()
		claimed, err := s.Claim(ctx, claimBatch)
		if n >= claimWarmUp {
			took = append(took, time.Since(began))
		}
		if err != nil {
			return report.Scale{}, err
		}
		if len(claimed.Claims) != claimBatch || !benchdata.HasBacklog(claimed.Claims) {
			return report.Scale{}, fmt.Errorf("a claim took %d deliveries, or none of the backlog: that is another measurement", len(claimed.Claims))
		}
		if err := claims.PutBack(ctx, claimed.Claims); err != nil {
			return report.Scale{}, err
		}
	}
	slices.Sort(took)
	return report.Scale{Batch: claimBatch, Calls: claimCalls, P50: report.Millis(report.Quantile(took, .5)), P99: report.Millis(report.Quantile(took, .99))}, nil
}
