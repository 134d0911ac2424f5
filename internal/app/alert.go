package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/alert"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/store/outbox"
	"github.com/malotehq/malote/internal/store/registry"
)

// AlertOptions say when people are told. The zero value has the defaults.
type AlertOptions struct {
	// Window is how long what is alike is gathered after a notice; default
	// alert.DefaultWindow.
	Window time.Duration
	// Lag and RelayLag are what is late; default alert.DefaultLag and
	// alert.DefaultRelayLag. Negative: that is not watched.
	Lag, RelayLag time.Duration
}

func (o AlertOptions) thresholds() alert.Thresholds {
	return alert.Thresholds{Lag: orDefault(o.Lag, alert.DefaultLag), RelayLag: orDefault(o.RelayLag, alert.DefaultRelayLag)}
}

func orDefault(d, otherwise time.Duration) time.Duration {
	switch {
	case d == 0:
		return otherwise
	case d < 0:
		return 0
	}
	return d
}

// houseAlerts is maintenance's part in telling people.
type houseAlerts struct {
	*alert.Teller
	watch *alert.Watch
	dsn   string // Malote's own database
}

func (p *process) newAlerts(dsn string) houseAlerts {
	return houseAlerts{
		Teller: alert.New(alert.Options{
			Storage: p.notices, Publisher: noticePublisher{p.publish, p.registry, p.book}, Observer: p.metrics, Log: p.log,
			Window: p.options.Alerts.Window, CanMail: p.options.MailServer != nil,
		}),
		watch: alert.NewWatch(p.notices, p.options.Alerts.thresholds()), dsn: dsn,
	}
}

// WatchLag implements maintenance.Alerts. Malote's own outbox is looked at here as
// well as by the relay, which may not run.
func (a houseAlerts) WatchLag(ctx context.Context) (map[string]int, error) {
	raised := make(map[string]int)
	note := func(kind delivery.SignalKind, err error) error {
		if kind != "" {
			raised[string(kind)]++
		}
		return err
	}
	lagErr := note(a.watch.Lag(ctx))
	box := outbox.New(a.dsn)
	defer box.Close()
	lag, err := box.Lag(ctx)
	if err == nil {
		err = note(a.watch.Outbox(ctx, OwnOutbox, lag.Oldest))
	}
	return raised, errors.Join(lagErr, err)
}

// noticePublisher makes events of notices. What is mailed to tenants' addresses goes
// through one endpoint, so that a mail server that is away or hangs holds no more
// than its few slots, however many tenants there are (docs/decisions/0012).
type noticePublisher struct {
	publish  *publish.Service
	registry *registry.Registry
	book     *policyBook
}

// PublishNotices implements alert.Publisher.
func (p noticePublisher) PublishNotices(ctx context.Context, notices []delivery.Notice) ([]error, error) {
	var contacts []delivery.ID
	requests := make([]publish.Request, len(notices))
	for i, n := range notices {
		requests[i] = publish.Request{Type: n.Type, Data: n.Data, IdempotencyKey: n.Key, OccurredAt: n.OccurredAt}
		if n.To == "" {
			continue
		}
		if contacts == nil {
			id, err := p.contacts(ctx)
			if err != nil {
				return nil, err
			}
			contacts = []delivery.ID{id}
		}
		requests[i].EndpointIDs = contacts
		requests[i].Headers = []delivery.Header{{Name: delivery.RecipientHeader, Value: n.To}}
	}
	outcomes, err := p.publish.PublishOwn(ctx, requests)
	if err != nil {
		return nil, err
	}
	return mapAll(outcomes, func(o publish.Each) error { return noticeProblem(o.Err) }), nil
}

// noticeProblem tells what passes from what does not. A key that is taken is the
// notice's own: it was published before, when the endpoint for contacts was
// another.
func noticeProblem(err error) error {
	_, isInvalid := errors.AsType[*publish.InvalidError](err)
	_, isLarge := errors.AsType[*publish.TooLargeError](err)
	switch {
	case isInvalid || isLarge:
		return fmt.Errorf("%w: %w", alert.ErrUnpublishable, err)
	case errors.Is(err, delivery.ErrKeyReused):
		return nil
	}
	return err
}

// contacts is the endpoint that mails to whom its events name.
func (p noticePublisher) contacts(ctx context.Context) (delivery.ID, error) {
	contract, err := p.book.Policy(policy.Email)
	if err != nil {
		return delivery.ID{}, err
	}
	return p.registry.EnsureOwnEndpoint(ctx, registry.NewEndpoint{
		URL: egress.MailtoAnybody, Policy: policy.Email, EventTypes: []string{alert.MailType + "*"},
		Description: "Mail to tenants' alert addresses and technical contacts; each event names whom it is for",
	}, registry.Defaults{
		Policy: contract.Name, MaxInFlight: contract.MaxInFlight, RateLimit: contract.RateLimit, FIFO: contract.FIFO,
		LeaseSeconds: int((contract.Lease + time.Second - 1) / time.Second),
	})
}
