package alert

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Storage is what telling needs of the database.
type Storage interface {
	// UntoldKinds are the kinds that operators were not told of yet.
	UntoldKinds(ctx context.Context) ([]delivery.SignalKind, error)
	// ForgetUnmailable settles what nobody is to be mailed of, or can be.
	ForgetUnmailable(ctx context.Context, canMail bool) (int, error)
	// UnmailedGroups are tenants and kinds that wait to be mailed.
	UnmailedGroups(ctx context.Context, window time.Duration, limit int) ([]delivery.NoticeGroup, error)
	// Tell lets decide say what becomes of a group's oldest signals, and notes that
	// in the same transaction. decide may be called for a transaction that fails.
	Tell(ctx context.Context, group delivery.NoticeGroup, limit int, decide func(delivery.Untold) delivery.Telling) error
	// Pending gives notices that are no events yet; Remove forgets those that are.
	Pending(ctx context.Context, limit int) ([]delivery.Notice, error)
	Remove(ctx context.Context, keys []string) error
}

// Publisher makes events of notices, each for itself: an error for each that is
// none, or nil. It may be given the same notice again, which then is the same
// event. Errors that will not pass wrap ErrUnpublishable.
type Publisher interface {
	PublishNotices(ctx context.Context, notices []delivery.Notice) ([]error, error)
}

// ErrUnpublishable marks a notice that can never be an event.
var ErrUnpublishable = errors.New("the notice cannot be published")

// Observer is told what is published, for the metrics.
type Observer interface {
	// NoticePublished: audience is operators or contacts.
	NoticePublished(audience string, kind delivery.SignalKind)
	// OwnSignal: something happened to an endpoint of Malote's own tenant.
	OwnSignal(kind delivery.SignalKind)
}

// The audiences.
const (
	Operators = "operators"
	Contacts  = "contacts" // tenants' own addresses
)

// DefaultWindow is how long what is alike is gathered after a notice.
const DefaultWindow = 5 * time.Minute

// Bounds of one transaction.
const (
	signalsAtOnce = 10_000 // in a notice to operators, which shows the first few
	mailedAtOnce  = 500    // in a mail, which names every one (D08)
	groupsAtOnce  = 100
	noticesAtOnce = 100
)

// Options of New. Storage, Publisher and Observer must be given.
type Options struct {
	Storage   Storage
	Publisher Publisher
	Observer  Observer
	Log       *slog.Logger

	Window  time.Duration // default DefaultWindow
	CanMail bool          // an SMTP server is configured
}

// Teller tells of signals. Several processes may at once; each thing is told once.
type Teller struct {
	options  Options
	log      *slog.Logger
	families [][]delivery.SignalKind
	silent   bool // it was logged that nothing can be mailed
}

// New makes a teller.
func New(options Options) *Teller {
	if options.Window <= 0 {
		options.Window = DefaultWindow
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Teller{options: options, log: log, families: families()}
}

// Tell tells of what there is to tell of now. One thing that fails keeps no other
// from being told. It is for one goroutine.
func (t *Teller) Tell(ctx context.Context) error {
	return errors.Join(t.tellOperators(ctx), t.tellContacts(ctx), t.publish(ctx))
}

func (t *Teller) tellOperators(ctx context.Context) error {
	kinds, err := t.options.Storage.UntoldKinds(ctx)
	if err != nil || len(kinds) == 0 {
		return err
	}
	for _, family := range t.families {
		if !slices.ContainsFunc(family, func(kind delivery.SignalKind) bool { return slices.Contains(kinds, kind) }) {
			continue
		}
		var own []delivery.Signal
		tellErr := t.options.Storage.Tell(ctx, delivery.NoticeGroup{Kinds: family}, signalsAtOnce, func(untold delivery.Untold) (telling delivery.Telling) {
			telling, own = tellOperators(family, untold, t.options.Window)
			return telling
		})
		err = errors.Join(err, tellErr)
		if tellErr == nil {
			t.noteOwn(own)
		}
	}
	return err
}

// noteOwn says in the log what nobody else is told of.
func (t *Teller) noteOwn(signals []delivery.Signal) {
	for _, s := range signals {
		t.options.Observer.OwnSignal(s.Kind)
		t.log.Warn("an alert's own endpoint or delivery is in trouble", "signal", string(s.Kind), "detail", s.Detail,
			"endpoint", s.EndpointID.Format(delivery.EndpointPrefix), "delivery", s.DeliveryID.Format(delivery.DeliveryPrefix))
	}
}

func (t *Teller) tellContacts(ctx context.Context) error {
	forgotten, err := t.options.Storage.ForgetUnmailable(ctx, t.options.CanMail)
	if err != nil {
		return err
	}
	if !t.options.CanMail {
		if forgotten > 0 && !t.silent {
			t.silent = true
			t.log.Info("tenants' addresses are not mailed: no SMTP server is configured (--smtp-url); this is said once")
		}
		return nil
	}
	groups, err := t.options.Storage.UnmailedGroups(ctx, t.options.Window, groupsAtOnce)
	for _, group := range groups {
		err = errors.Join(err, t.options.Storage.Tell(ctx, group, mailedAtOnce, func(untold delivery.Untold) delivery.Telling {
			return tellTenant(group.Kinds[0], untold, t.options.Window)
		}))
	}
	return err
}

// publish makes events of all notices that are none yet, those of a process that
// died in between included.
func (t *Teller) publish(ctx context.Context) error {
	for {
		notices, err := t.options.Storage.Pending(ctx, noticesAtOnce)
		if err != nil || len(notices) == 0 {
			return err
		}
		outcomes, err := t.options.Publisher.PublishNotices(ctx, notices)
		if err != nil {
			return fmt.Errorf("publishing notices: %w", err)
		}
		done, err := t.judge(notices, outcomes)
		if removeErr := t.options.Storage.Remove(ctx, done); removeErr != nil || err != nil {
			return errors.Join(err, removeErr)
		}
		if len(notices) < noticesAtOnce {
			return nil
		}
	}
}

// judge gives the keys of notices that are done with, and what failed for now.
func (t *Teller) judge(notices []delivery.Notice, outcomes []error) (done []string, err error) {
	for i, notice := range notices {
		switch outcome := outcomes[i]; {
		case errors.Is(outcome, ErrUnpublishable):
			t.log.Error("a notice cannot be published, and is dropped", "key", notice.Key, "type", notice.Type, "error", outcome)
		case outcome != nil:
			err = errors.Join(err, fmt.Errorf("publishing the notice %s: %w", notice.Key, outcome))
			continue
		default:
			audience := Operators
			if notice.To != "" {
				audience = Contacts
			}
			t.options.Observer.NoticePublished(audience, notice.Kind)
		}
		done = append(done, notice.Key)
	}
	return done, err
}
