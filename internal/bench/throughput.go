package bench

import (
	"context"

	"github.com/malotehq/malote/internal/bench/report"
)

// throughputCase is how many publish to how many endpoints.
type throughputCase struct {
	publishers, endpoints int
	maxInFlight           int // of each endpoint; 0: the policy's
}

// narrowInFlight is how many may be in flight where there is one endpoint: with its
// policy's ten, the receiver's round trip would be what is measured.
const narrowInFlight = 64

func (b *bench) throughputCases() []throughputCase {
	var cases []throughputCase
	for _, publishers := range b.Publishers {
		cases = append(cases, throughputCase{publishers, b.Endpoints, 0}, throughputCase{publishers, 1, narrowInFlight})
	}
	return cases
}

func (b *bench) casts() []cast {
	casts := []cast{aWhole}
	for i := range b.Peers {
		casts = append(casts, cast{peer: &b.Peers[i]})
	}
	return casts
}

func (b *bench) throughputSteps() int {
	return b.Runs*len(b.throughputCases())*len(b.casts()) + limitSteps
}

// throughput runs all systems in turn, so that whatever else the machine does falls
// on all of them.
func (b *bench) throughput(ctx context.Context) error {
	if err := b.limits(ctx); err != nil {
		return err
	}
	for _, c := range b.throughputCases() {
		runs := make([][]report.Throughput, len(b.casts()))
		for n := range b.Runs {
			for i, who := range b.casts() {
				b.step("%s, %d publishers, %d endpoints, run %d of %d", who.system(), c.publishers, c.endpoints, n+1, b.Runs)
				one, err := b.throughputOf(ctx, who, c)
				if err != nil {
					return err
				}
				runs[i] = append(runs[i], one)
			}
		}
		for _, of := range runs {
			b.report.Throughput = append(b.report.Throughput, report.MedianRun(of))
		}
	}
	return nil
}

// throughputOf publishes as fast as it is answered, to endpoints in turn, and
// counts what arrives meanwhile.
func (b *bench) throughputOf(ctx context.Context, who cast, c throughputCase) (report.Throughput, error) {
	s, err := b.openStage(ctx, who)
	if err != nil {
		return report.Throughput{}, err
	}
	defer s.close()
	t, err := s.prepare(ctx, c.endpoints, endpointOptions{maxInFlight: c.maxInFlight})
	if err != nil {
		return report.Throughput{}, err
	}
	p := startPublishers(ctx, c.publishers, s.urls, t)
	defer p.end()
	before, err := s.mark(ctx, b.WarmUp, p.accepted.Load)
	if err != nil {
		return report.Throughput{}, err
	}
	after, err := s.mark(ctx, b.Duration, p.accepted.Load)
	if err != nil {
		return report.Throughput{}, err
	}
	most, err := s.rssMost()
	row := b.throughputRow(before, after)
	row.System, row.Publishers, row.Endpoints, row.MaxInFlight = who.system(), c.publishers, c.endpoints, c.maxInFlight
	row.RSSMost, row.Failed, row.FirstFail = most, p.failed.Load(), p.firstFailure()
	return row, err
}

func (b *bench) throughputRow(before, after counters) report.Throughput {
	seconds, events := after.at.Sub(before.at).Seconds(), float64(after.received-before.received)
	return report.Throughput{
		Published: float64(after.accepted-before.accepted) / seconds, Delivered: events / seconds,
		Backlog:     max(0, after.accepted-after.received), // an event may arrive before its publisher hears of it
		WALPerEvent: share(float64(after.WAL-before.WAL), events),
		Commits:     share(float64(after.Commits-before.Commits), events),
		Rows:        share(float64(after.Rows-before.Rows), events),
		ServerTime:  perEvent(after.serverTime-before.serverTime, events),
		Postgres:    perEvent(after.postgresTime-before.postgresTime, events),
		LoadTime:    perEvent(after.ownTime-before.ownTime, events),
	}
}
