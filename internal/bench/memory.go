package bench

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
	"github.com/malotehq/malote/internal/store/benchdata"
)

// memory has a Malote work on a long backlog under load, and adds what the
// processes of the other scenarios took at most.
func (b *bench) memory(ctx context.Context) error {
	b.step("backlog of %d, under load", b.Backlog)
	s, err := b.openStage(ctx, aWhole)
	if err != nil {
		return err
	}
	defer s.close()
	t, err := s.prepare(ctx, b.Endpoints, endpointOptions{})
	if err != nil {
		return err
	}
	data, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	defer data.Close()
	if err := benchdata.FillBacklog(ctx, data, t.tenant, []byte(t.bodyOf(0, time.Now())), b.Backlog); err != nil {
		return err
	}
	p := startPublishers(ctx, b.Publishers[0], s.urls, t)
	defer p.end()
	if err := pause(ctx, b.WarmUp+b.Duration); err != nil {
		return err
	}
	most, err := s.rssMost()
	if err != nil {
		return err
	}
	for _, name := range Scenarios {
		if rss := b.rss[name]; rss > 0 && name != b.scenario {
			b.report.Memory = append(b.report.Memory, report.Memory{Scenario: string(name), RSSMost: rss})
		}
	}
	b.report.Memory = append(b.report.Memory, report.Memory{Scenario: "backlog, under load", Backlog: int64(b.Backlog), RSSMost: most})
	return nil
}
