package alert

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const window = 5 * time.Minute

func id(tenant string) delivery.ID { return delivery.NewID(delivery.ShardOf(tenant), now, rand.Reader) }

// signal is one of a tenant's, about an endpoint and a delivery of its own.
func signal(tenant string, kind delivery.SignalKind, detail string) delivery.Signal {
	return delivery.Signal{
		ID: id(tenant), Tenant: tenant, Kind: kind, Detail: detail, EndpointID: id(tenant), DeliveryID: id(tenant), EventID: id(tenant),
		EventType: "invoice.paid", At: now.Add(-time.Minute),
	}
}

// pending is what storage would give of signals.
func pending(signals ...delivery.Signal) delivery.Untold {
	u := delivery.Untold{
		Signals: signals, Now: now, Last: map[delivery.SignalKind]time.Time{},
		Hosts: map[delivery.ID]string{}, Contacts: map[string]delivery.Contacts{},
	}
	for i := range signals {
		u.Hosts[signals[i].EndpointID] = "hooks." + signals[i].Tenant + ".example"
	}
	return u
}

func told(t require.TestingT, notice delivery.Notice) noticeData {
	var d noticeData
	require.NoError(t, json.Unmarshal(notice.Data, &d))
	return d
}

func TestKinds_EverySignalIsToldOf(t *testing.T) {
	t.Parallel()
	var all []delivery.SignalKind
	for _, kind := range circuit.SignalKinds {
		all = append(all, delivery.SignalKind(kind))
	}
	all = append(all, delivery.SignalKinds...)
	require.ElementsMatch(t, all, Kinds())
	require.ElementsMatch(t, all, slices.Concat(families()...), "each in one family")
	for _, topic := range topics {
		require.True(t, delivery.ValidType(topic.event))
		require.True(t, strings.HasPrefix(topic.event, typePrefix))
		require.NotEmpty(t, topic.one+topic.many)
		require.NotEmpty(t, topic.advice, "every message says what to do")
		notices, _ := tellOperators([]delivery.SignalKind{topic.kind}, pending(signal("acme", topic.kind, "x")), window)
		require.Len(t, notices.Notices, 1, topic.kind)
		d := told(t, notices.Notices[0])
		require.NotContains(t, d.Subject+d.Text, "%!")
		require.Equal(t, topic.ends != "", strings.HasPrefix(d.Subject, "Resolved: "))
	}
}

func TestOperators_OneNoticeForManyAlike(t *testing.T) {
	t.Parallel()
	var signals []delivery.Signal
	for i := range 120 {
		signals = append(signals, signal(fmt.Sprintf("t%d", i%30), delivery.DeliveryDead, "attempts_exhausted"))
	}
	for range 5 {
		signals = append(signals, signal("acme", delivery.DeliveryDead, "gone"))
	}
	telling, own := tellOperators([]delivery.SignalKind{delivery.DeliveryDead}, pending(signals...), window)
	require.Empty(t, own)
	require.Len(t, telling.Settled, 125)
	require.Equal(t, []delivery.SignalKind{delivery.DeliveryDead}, telling.Told)
	require.Len(t, telling.Notices, 1)
	notice := telling.Notices[0]
	require.Equal(t, "malote.delivery.dead", notice.Type)
	require.Equal(t, signals[0].ID.Format(delivery.SignalPrefix), notice.Key)
	require.Empty(t, notice.To)
	d := told(t, notice)
	require.Equal(t, 125, d.Count)
	require.Len(t, d.Items, itemsShown)
	require.Len(t, d.Tenants, tenantsShown)
	require.Equal(t, tenantCount{"acme", 5}, d.Tenants[0], "whoever has most comes first")
	require.Equal(t, "125 deliveries entered the DLQ", d.Subject)
	require.Contains(t, d.Text, "and 115 more")
	first := signals[0]
	for _, shown := range []string{
		first.EventID.Format(delivery.EventPrefix), first.DeliveryID.Format(delivery.DeliveryPrefix), "invoice.paid", "hooks.t0.example", "all attempts failed",
	} {
		require.Contains(t, d.Text, shown)
	}
}

func TestOperators_WhatFollowsWithinAWindowWaits(t *testing.T) {
	t.Parallel()
	family := []delivery.SignalKind{delivery.DeliveryDead}
	untold := pending(signal("acme", delivery.DeliveryDead, "gone"))
	untold.Last[delivery.DeliveryDead] = now.Add(-window + time.Second)
	telling, _ := tellOperators(family, untold, window)
	require.Equal(t, delivery.Telling{}, telling)
	untold.Last[delivery.DeliveryDead] = now.Add(-window)
	telling, _ = tellOperators(family, untold, window)
	require.Len(t, telling.Notices, 1)
}

func TestOperators_NoAlertIsAboutAnAlert(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		s := signal(delivery.OwnTenant, kind, "x")
		telling, own := tellOperators([]delivery.SignalKind{kind}, pending(s), window)
		require.Equal(t, []delivery.ID{s.ID}, telling.Settled)
		require.Equal(t, kind.OfWhole(), len(telling.Notices) == 1, kind)
		require.Equal(t, kind.OfWhole(), len(own) == 0, kind)
		require.Empty(t, tellTenant(kind, pending(s), window).Notices)
	}
}

// What ended before anybody heard of it is not told, and of what went to and fro
// only where it stands.
func TestOperators_ResolvedNotices(t *testing.T) {
	t.Parallel()
	one, other := id("acme"), id("acme")
	at := func(endpoint delivery.ID, kinds ...delivery.SignalKind) (signals []delivery.Signal) {
		for _, kind := range kinds {
			s := signal("acme", kind, "10 consecutive failures")
			s.EndpointID = endpoint
			signals = append(signals, s)
		}
		return signals
	}
	family := []delivery.SignalKind{circuitOpened, circuitClosed}
	for name, c := range map[string]struct {
		signals []delivery.Signal
		want    []string
	}{
		"opened":                 {at(one, circuitOpened), []string{"malote.circuit.opened"}},
		"closed after it":        {at(one, circuitClosed), []string{"malote.circuit.closed"}},
		"both":                   {at(one, circuitOpened, circuitClosed), nil},
		"closed and open again":  {at(one, circuitClosed, circuitOpened), nil},
		"to and fro":             {at(one, circuitOpened, circuitClosed, circuitOpened), []string{"malote.circuit.opened"}},
		"to and fro and closed":  {at(one, circuitClosed, circuitOpened, circuitClosed), []string{"malote.circuit.closed"}},
		"enabled in between":     {at(one, circuitOpened, circuitOpened), []string{"malote.circuit.opened"}},
		"one opens, one closes":  {append(at(one, circuitOpened), at(other, circuitClosed)...), []string{"malote.circuit.opened", "malote.circuit.closed"}},
		"one is news, one isn't": {append(at(one, circuitOpened, circuitClosed), at(other, circuitOpened)...), []string{"malote.circuit.opened"}},
	} {
		telling, _ := tellOperators(family, pending(c.signals...), window)
		var types []string
		for _, notice := range telling.Notices {
			types = append(types, notice.Type)
			require.Equal(t, 1, told(t, notice).Count, name)
		}
		require.Equal(t, c.want, types, name)
		require.Len(t, telling.Settled, len(c.signals), name)
	}
}

// Whatever is raised in whatever order, each signal is settled once and told in one
// notice at most, and nothing that waits for its window is settled.
func TestOperators_NothingIsToldTwiceOrLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		family := rapid.SampledFrom(families()).Draw(t, "family")
		endpoints := []delivery.ID{id("acme"), id("acme"), id("other")}
		var signals []delivery.Signal
		for i := range rapid.IntRange(1, 20).Draw(t, "signals") {
			s := signal(rapid.SampledFrom([]string{"acme", "other", delivery.OwnTenant}).Draw(t, "tenant"), rapid.SampledFrom(family).Draw(t, "kind"), "x")
			s.EndpointID = rapid.SampledFrom(endpoints).Draw(t, "endpoint")
			s.At = now.Add(time.Duration(i) * time.Millisecond)
			signals = append(signals, s)
		}
		untold := pending(signals...)
		for _, kind := range family {
			if rapid.Bool().Draw(t, "in its window") {
				untold.Last[kind] = now
			}
		}
		telling, own := tellOperators(family, untold, window)
		seen := make(map[delivery.ID]bool)
		for _, settled := range telling.Settled {
			require.False(t, seen[settled], "settled twice")
			seen[settled] = true
		}
		count := len(own)
		for _, notice := range telling.Notices {
			require.Zero(t, untold.Last[notice.Kind])
			count += told(t, notice).Count
		}
		require.LessOrEqual(t, count, len(telling.Settled))
		if len(untold.Last) == 0 {
			require.Len(t, telling.Settled, len(signals))
		}
		if len(family) == 1 {
			require.Equal(t, count, len(telling.Settled), "what has no end is all told")
		}
	})
}
