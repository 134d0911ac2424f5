package alert

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// desk is a Storage that holds what a test puts on it, a Publisher and an Observer.
type desk struct {
	signals  []delivery.Signal // untold and unmailed
	contacts map[string]delivery.Contacts

	notices   []delivery.Notice
	published []delivery.Notice
	observed  []string
	forgotten []bool // with what ForgetUnmailable was called

	fails  map[string]error // by method
	refuse func(delivery.Notice) error
}

func (d *desk) UntoldKinds(context.Context) (kinds []delivery.SignalKind, _ error) {
	for _, s := range d.signals {
		kinds = append(kinds, s.Kind)
	}
	return kinds, d.fails["kinds"]
}

func (d *desk) ForgetUnmailable(_ context.Context, canMail bool) (int, error) {
	d.forgotten = append(d.forgotten, canMail)
	return len(d.signals), d.fails["forget"]
}

func (d *desk) UnmailedGroups(context.Context, time.Duration, int) (groups []delivery.NoticeGroup, _ error) {
	for _, s := range d.signals {
		groups = append(groups, delivery.NoticeGroup{Tenant: s.Tenant, Kinds: []delivery.SignalKind{s.Kind}})
	}
	return groups, nil
}

func (d *desk) Tell(_ context.Context, group delivery.NoticeGroup, _ int, decide func(delivery.Untold) delivery.Telling) error {
	var signals []delivery.Signal
	for _, s := range d.signals {
		for _, kind := range group.Kinds {
			if s.Kind == kind && (group.Tenant == "" || group.Tenant == s.Tenant) {
				signals = append(signals, s)
			}
		}
	}
	untold := pending(signals...)
	untold.Contacts = d.contacts
	telling := decide(untold)
	if err := d.fails[fmt.Sprint(group.Kinds[0])]; err != nil {
		return err
	}
	d.notices = append(d.notices, telling.Notices...)
	return nil
}

func (d *desk) Pending(_ context.Context, limit int) ([]delivery.Notice, error) {
	return d.notices[:min(len(d.notices), limit)], nil
}

func (d *desk) Remove(_ context.Context, keys []string) error {
	var left []delivery.Notice
	for _, n := range d.notices {
		if !strings.Contains(" "+strings.Join(keys, " ")+" ", " "+n.Key+" ") {
			left = append(left, n)
		}
	}
	d.notices = left
	return d.fails["remove"]
}

func (d *desk) PublishNotices(_ context.Context, notices []delivery.Notice) ([]error, error) {
	if err := d.fails["publish"]; err != nil {
		return nil, err
	}
	outcomes := make([]error, len(notices))
	for i, n := range notices {
		if d.refuse != nil {
			outcomes[i] = d.refuse(n)
		}
		if outcomes[i] == nil {
			d.published = append(d.published, n)
		}
	}
	return outcomes, nil
}

func (d *desk) NoticePublished(audience string, kind delivery.SignalKind) {
	d.observed = append(d.observed, audience+" "+string(kind))
}

func (d *desk) OwnSignal(kind delivery.SignalKind) {
	d.observed = append(d.observed, "own "+string(kind))
}

func (d *desk) teller(canMail bool, log *strings.Builder) *Teller {
	options := Options{Storage: d, Publisher: d, Observer: d, CanMail: canMail}
	if log != nil {
		options.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	return New(options)
}

func TestTeller_TellsOperatorsAndContacts(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	d := &desk{
		signals:  []delivery.Signal{signal("acme", delivery.DeliveryDead, "gone"), signal(delivery.OwnTenant, delivery.DeliveryDead, "rejected")},
		contacts: map[string]delivery.Contacts{"acme": {AlertEmails: addresses(2)}},
	}
	require.NoError(t, d.teller(true, &log).Tell(t.Context()))
	require.ElementsMatch(t, []string{
		"own delivery_dead", "operators delivery_dead", "contacts delivery_dead", "contacts delivery_dead",
	}, d.observed)
	require.Empty(t, d.notices)
	require.Contains(t, log.String(), "an alert's own endpoint or delivery is in trouble")
	require.Equal(t, []bool{true}, d.forgotten)
}

func TestTeller_SaysOnceThatNothingCanBeMailed(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	d := &desk{
		signals:  []delivery.Signal{signal("acme", delivery.DeliveryDead, "gone")},
		contacts: map[string]delivery.Contacts{"acme": {AlertEmails: addresses(2)}},
	}
	teller := d.teller(false, &log)
	for range 3 {
		require.NoError(t, teller.Tell(t.Context()))
	}
	require.Equal(t, []string{"operators delivery_dead", "operators delivery_dead", "operators delivery_dead"}, d.observed)
	require.Equal(t, 1, strings.Count(log.String(), "--smtp-url"))
}

func TestTeller_OneFailureKeepsNothingElse(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	d := &desk{
		signals: []delivery.Signal{signal("acme", delivery.DeliveryDead, "gone"), signal("acme", endpointDisabled, "gone")},
		fails:   map[string]error{string(delivery.DeliveryDead): broken, "forget": broken},
	}
	require.ErrorIs(t, d.teller(true, nil).Tell(t.Context()), broken)
	require.Equal(t, []string{"operators endpoint_disabled"}, d.observed)
}

// A notice stays until it is an event: of a process that died, or a database that
// was away, the next turn finds it.
func TestTeller_ANoticeIsKeptUntilItIsAnEvent(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	var log strings.Builder
	d := &desk{fails: map[string]error{"publish": away}}
	for i := range 2*noticesAtOnce + 1 {
		d.notices = append(d.notices, delivery.Notice{Key: fmt.Sprint("n", i), Kind: delivery.LagHigh})
	}
	teller := d.teller(true, &log)
	require.ErrorIs(t, teller.Tell(t.Context()), away)
	require.Len(t, d.notices, 2*noticesAtOnce+1)

	delete(d.fails, "publish")
	d.refuse = func(n delivery.Notice) error {
		switch n.Key {
		case "n150":
			return fmt.Errorf("%w: it is too long", ErrUnpublishable)
		case "n200":
			return away
		}
		return nil
	}
	require.ErrorIs(t, teller.Tell(t.Context()), away)
	require.Len(t, d.notices, 1, "one that failed for now")
	require.Equal(t, "n200", d.notices[0].Key)
	require.Len(t, d.published, 2*noticesAtOnce-1)
	require.Contains(t, log.String(), "n150")

	d.refuse = nil
	require.NoError(t, teller.Tell(t.Context()))
	require.Empty(t, d.notices)
}

// readings is a Conditions whose only state is what was raised.
type readings struct {
	overdue time.Duration
	raised  map[string]bool
	signals []delivery.Signal
	err     error
}

func (r *readings) IsRaised(_ context.Context, name string) (bool, error) {
	return r.raised[name], r.err
}

func (r *readings) Observe(_ context.Context, holds bool, _ time.Duration, s delivery.Signal) (bool, error) {
	changed := r.raised[s.Subject] != holds
	r.raised[s.Subject] = holds
	if changed {
		r.signals = append(r.signals, s)
	}
	return changed, nil
}

func (r *readings) Overdue(context.Context) (time.Duration, error) { return r.overdue, r.err }

func TestFairQueue_F17_LatenessIsRaisedAndEnds(t *testing.T) {
	t.Parallel()
	r := &readings{raised: make(map[string]bool)}
	w := NewWatch(r, Thresholds{Lag: 4 * time.Minute, RelayLag: time.Minute})
	var kinds []delivery.SignalKind
	for _, overdue := range []time.Duration{0, 4 * time.Minute, 241 * time.Second, 3 * time.Minute, 121 * time.Second, 2 * time.Minute, 4 * time.Minute} {
		r.overdue = overdue
		kind, err := w.Lag(t.Context())
		require.NoError(t, err)
		kinds = append(kinds, kind)
	}
	require.Equal(t, []delivery.SignalKind{"", "", delivery.LagHigh, "", "", delivery.LagRecovered, ""}, kinds)
	require.Equal(t, "the oldest delivery that could be sent is 4m1s late (the threshold is 4m0s)", r.signals[0].Detail)

	for _, c := range []struct {
		name   string
		oldest time.Duration
		want   delivery.SignalKind
	}{{"shop", 2 * time.Minute, delivery.RelayLagging}, {"malote", 0, ""}, {"shop", 0, delivery.RelayRecovered}} {
		kind, err := w.Outbox(t.Context(), c.name, c.oldest)
		require.NoError(t, err)
		require.Equal(t, c.want, kind)
	}
	require.Contains(t, r.signals[2].Detail, "the outbox shop")
	require.Equal(t, "relay:shop", r.signals[2].Subject)
}

func TestWatch_WithoutAThresholdNothingIsLate(t *testing.T) {
	t.Parallel()
	r := &readings{overdue: time.Hour, raised: map[string]bool{"lag": true}}
	kind, err := NewWatch(r, Thresholds{}).Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, delivery.LagRecovered, kind, "what was raised before is taken back")
	require.NotContains(t, r.signals[0].Detail, "threshold")
	r.err = errors.New("away")
	_, err = NewWatch(r, Thresholds{}).Lag(t.Context())
	require.ErrorIs(t, err, r.err)
}
