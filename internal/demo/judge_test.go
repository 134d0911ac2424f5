package demo

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/receiver"
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// trial is evidence in which everything is as it must be: shop's event invoice
// went to well, and to ill in vain; its event beat went to nobody, and rival's
// to well2.
type trial struct {
	*evidence
	well, ill, well2 *endpoint
}

func newTrial(t *testing.T) *trial {
	contract, known := policy.Preset(standard)
	require.True(t, known)
	invoice := sha256.Sum256([]byte(`{"a":1}`))
	make := func(id, tenant string, types []string, c character) *endpoint {
		return &endpoint{
			role: role{name: id, types: types, character: c, policy: standard}, tenant: tenant, id: id, contract: contract,
			data: map[string]digest{},
		}
	}
	tr := &trial{
		well: make("well", "shop", invoices, fast), ill: make("ill", "shop", invoices, broken), well2: make("well2", "rival", all, fast),
	}
	tr.evidence = &evidence{
		at: noon,
		entries: map[string]entry{
			"invoice": {id: "invoice", tenant: "shop", kind: "invoice.paid", data: invoice, sentAt: noon.Add(-time.Minute), promised: 2},
			"beat":    {id: "beat", tenant: "shop", kind: "heartbeat", data: invoice, sentAt: noon.Add(-time.Minute), promised: 1},
			"other":   {id: "other", tenant: "rival", kind: "pix.received", data: invoice, raw: true, sentAt: noon.Add(-time.Minute), promised: 1},
		},
		events: map[string][]eventView{
			"shop": {{"invoice", "invoice.paid"}, {"beat", "heartbeat"}}, "rival": {{"other", "pix.received"}},
		},
		deliveries: []deliveryView{
			{ID: "d0", EventID: "invoice", EndpointID: "well", State: delivery.Delivered, AttemptCount: 1},
			{ID: "d1", EventID: "invoice", EndpointID: "ill", State: delivery.Pending, AttemptCount: 2, NextAttempt: noon.Add(time.Minute), LastError: "http_status", LastStatus: 500},
			{ID: "d2", EventID: "beat", State: delivery.Skipped, SkipReason: delivery.TypeNotSubscribed},
			{ID: "d3", EventID: "other", EndpointID: "well2", State: delivery.Delivered, AttemptCount: 1},
		},
		views: map[string]endpointView{
			"well": {ID: "well", Status: delivery.Active}, "ill": {ID: "ill", Status: delivery.Active}, "well2": {ID: "well2", Status: delivery.Active},
		},
		witnesses: []witness{
			{endpoint: tr.well, records: map[string]receiver.Record{"invoice": {ID: "invoice", Requests: 1, Accepted: true, FirstAt: noon.Add(-59 * time.Second)}}},
			{endpoint: tr.ill, records: map[string]receiver.Record{"invoice": {ID: "invoice", Requests: 2}}},
			{endpoint: tr.well2, records: map[string]receiver.Record{"other": {ID: "other", Requests: 1, Accepted: true, Digest: invoice}}},
		},
	}
	tr.well.data["invoice"], tr.ill.data["invoice"] = invoice, invoice
	return tr
}

// seen changes what a witness says of an event.
func (tr *trial) seen(witness int, event string, change func(*receiver.Record)) {
	record := tr.witnesses[witness].records[event]
	change(&record)
	tr.witnesses[witness].records[event] = record
}

func TestJudge_FindsNothingWhereAllIsWell(t *testing.T) {
	t.Parallel()
	found := judge(newTrial(t).evidence)
	require.Empty(t, found.faults)
	require.Len(t, found.deliveries, 4)
}

func TestJudge_FindsEveryKindOfFault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(*trial)
		want  FaultKind
	}{
		"a published event is not listed":     {func(tr *trial) { tr.events["shop"] = tr.events["shop"][1:] }, LostEvent},
		"an event is listed that nobody sent": {func(tr *trial) { tr.events["rival"] = append(tr.events["rival"], eventView{"x", "y"}) }, InventedEvent},
		"an event is listed twice":            {func(tr *trial) { tr.events["rival"] = append(tr.events["rival"], tr.events["rival"][0]) }, InventedEvent},
		"an event has another type":           {func(tr *trial) { tr.events["rival"][0].Type = "y" }, InventedEvent},
		"an event is another tenant's": {func(tr *trial) {
			tr.events["rival"], tr.events["shop"] = nil, append(tr.events["shop"], tr.events["rival"]...)
		}, InventedEvent},
		"a delivery is missing":             {func(tr *trial) { tr.deliveries = tr.deliveries[1:] }, LostDelivery},
		"the record of a skip is missing":   {func(tr *trial) { tr.deliveries = append(tr.deliveries[:2], tr.deliveries[3]) }, LostDelivery},
		"a delivery is there twice":         {func(tr *trial) { tr.deliveries = append(tr.deliveries, tr.deliveries[3]) }, ExtraDelivery},
		"a delivery goes to a stranger":     {func(tr *trial) { tr.deliveries[0].EndpointID = "stranger" }, ExtraDelivery},
		"a delivery goes to another tenant": {func(tr *trial) { tr.deliveries[0].EndpointID = "well2" }, ExtraDelivery},
		"a skip beside a delivery": {func(tr *trial) {
			tr.deliveries = append(tr.deliveries, deliveryView{EventID: "other", State: delivery.Skipped, SkipReason: delivery.NoEndpoint})
		}, ExtraDelivery},
		"fewer deliveries than promised": {func(tr *trial) {
			e := tr.entries["other"]
			e.promised = 2
			tr.entries["other"] = e
		}, BrokenPromise},
		"delivered, but never received":  {func(tr *trial) { delete(tr.witnesses[0].records, "invoice") }, NotReceived},
		"delivered, but never accepted":  {func(tr *trial) { tr.seen(0, "invoice", func(r *receiver.Record) { r.Accepted = false }) }, NotReceived},
		"more requests than attempts":    {func(tr *trial) { tr.seen(0, "invoice", func(r *receiver.Record) { r.Requests = 2 }) }, UnknownRequests},
		"an event arrives from nowhere":  {func(tr *trial) { tr.seen(1, "ghost", func(*receiver.Record) {}) }, InventedArrival},
		"an event arrives at a stranger": {func(tr *trial) { tr.seen(2, "invoice", func(*receiver.Record) {}) }, InventedArrival},
		"an unwanted type arrives":       {func(tr *trial) { tr.seen(0, "beat", func(*receiver.Record) {}) }, InventedArrival},
		"other bytes arrive":             {func(tr *trial) { tr.well.data["invoice"] = digest{1} }, OtherData},
		"no data arrives":                {func(tr *trial) { delete(tr.well.data, "invoice") }, OtherData},
		"another whole body arrives":     {func(tr *trial) { tr.seen(2, "other", func(r *receiver.Record) { r.Digest = digest{1} }) }, OtherData},
		"two bodies under one id":        {func(tr *trial) { tr.seen(1, "invoice", func(r *receiver.Record) { r.Differs = true }) }, ChangedBytes},
		"a signature does not hold":      {func(tr *trial) { tr.witnesses[1].counts.Forged = 1 }, BadSignature},
		"a healthy endpoint still waits": {func(tr *trial) {
			tr.deliveries[3].State, tr.deliveries[3].NextAttempt = delivery.Pending, noon.Add(time.Minute)
		}, Undelivered},
		"a healthy endpoint's are dead":  {func(tr *trial) { tr.deliveries[3].State, tr.deliveries[3].DeadReason = delivery.Dead, delivery.Gone }, Undelivered},
		"dead for no reason":             {func(tr *trial) { tr.deliveries[1].State = delivery.Dead }, Unexplained},
		"skipped for no reason":          {func(tr *trial) { tr.deliveries[2].SkipReason = "" }, Unexplained},
		"superseded by nothing":          {func(tr *trial) { tr.deliveries[1].State = delivery.Superseded }, Unexplained},
		"delivered without an attempt":   {func(tr *trial) { tr.deliveries[3].AttemptCount = 0 }, Unexplained},
		"a state that does not exist":    {func(tr *trial) { tr.deliveries[1].State = "lost" }, Unexplained},
		"pending without a next attempt": {func(tr *trial) { tr.deliveries[1].NextAttempt = time.Time{} }, Unexplained},
		"due, and nobody sends it":       {func(tr *trial) { tr.deliveries[1].NextAttempt = noon.Add(-time.Minute) }, Stranded},
		"its pause is over, and nothing": {func(tr *trial) { tr.pause(noon.Add(-10 * time.Second)) }, Stranded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t)
			test.spoil(tr)
			var kinds []FaultKind
			for _, fault := range judge(tr.evidence).faults {
				require.NotEmpty(t, fault.Detail)
				kinds = append(kinds, fault.Kind)
			}
			require.Contains(t, kinds, test.want)
		})
	}
}

// pause has the ill endpoint's delivery due, and the endpoint paused until then.
func (tr *trial) pause(until time.Time) {
	tr.deliveries[1].NextAttempt = noon.Add(-time.Minute)
	view := tr.views["ill"]
	view.PausedUntil, view.ConsecutiveFailures = until, 12
	tr.views["ill"] = view
}

func TestJudge_TakesExplanationsForWhatTheyAre(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*trial)
		cause  cause
		says   string
	}{
		"between two attempts": {func(*trial) {}, retried, "pending: attempt 3 of 10 at " + noon.Add(time.Minute).Local().Format("15:04:05") + ", last error http_status 500"},
		"paused":               {func(tr *trial) { tr.pause(noon.Add(time.Minute)) }, paused, "after 12 failures in a row"},
		"just after a pause":   {func(tr *trial) { tr.pause(noon.Add(-time.Second)) }, inLine, "waits its turn"},
		"in line": {func(tr *trial) {
			tr.deliveries[1].NextAttempt = noon.Add(-time.Hour)
			tr.views["ill"] = endpointView{Status: delivery.Active, InFlight: 4}
		}, inLine, "4 ahead of it in flight"},
		"disabled":         {func(tr *trial) { tr.views["ill"] = endpointView{Status: delivery.DisabledBySystem} }, stopped, "disabled_by_system"},
		"paused by people": {func(tr *trial) { tr.views["ill"] = endpointView{Status: delivery.Paused} }, paused, "operator"},
		"under way":        {func(tr *trial) { tr.deliveries[1].State = delivery.Sending }, underway, "sending: attempt 2 of 10"},
		"dead": {func(tr *trial) {
			tr.deliveries[1].State, tr.deliveries[1].DeadReason = delivery.Dead, delivery.TooLarge
		}, "too_large", "dead: too_large"},
		"deleted before any attempt": {func(tr *trial) {
			tr.deliveries[1] = deliveryView{ID: "d1", EventID: "invoice", EndpointID: "ill", State: delivery.Dead, DeadReason: delivery.EndpointDeleted}
			delete(tr.witnesses[1].records, "invoice")
		}, "endpoint_deleted", "dead"},
		"superseded":          {func(tr *trial) { tr.deliveries[1].State, tr.deliveries[1].SupersededBy = delivery.Superseded, "d9" }, "replaced_by_newer", "d9"},
		"discarded by people": {func(tr *trial) { tr.deliveries[1].State = delivery.Discarded }, "discarded", "by somebody"},
		"late tomorrow":       {func(tr *trial) { tr.deliveries[1].NextAttempt = noon.AddDate(0, 0, 3) }, retried, "2026-03-05"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t)
			test.change(tr)
			found := judge(tr.evidence)
			require.Empty(t, found.faults)
			require.Equal(t, test.cause, found.deliveries[1].cause)
			require.Contains(t, found.deliveries[1].text, test.says)
		})
	}
}

func TestSummarise_GroupsAndMeasures(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	s := summarise(tr.evidence, judge(tr.evidence), newLedger(), 2*time.Second)
	require.Equal(t, 4, s.Deliveries.Total)
	require.Equal(t, 2, s.Deliveries.ByState[delivery.Delivered])
	require.Len(t, s.Explained, 2)
	require.Equal(t, "", s.Explained[0].Endpoint)
	require.Equal(t, "shop: ill (500)", s.Explained[1].Endpoint)
	require.Equal(t, 1000.0, s.ByEndpoint[0].P99)
	require.Equal(t, -1.0, newTrial(t).emptied().P99, "no deliveries, no figures")

	slow := summarise(tr.evidence, judge(tr.evidence), newLedger(), 999*time.Millisecond)
	require.Equal(t, TooSlow, slow.Faults[0].Kind)
	require.Equal(t, "shop: well", slow.Faults[0].Endpoint)
}

func (tr *trial) emptied() EndpointSummary {
	tr.witnesses[0].records = nil
	return summarise(tr.evidence, judgement{}, newLedger(), time.Second).ByEndpoint[0]
}

// The tool that loads Malote names the machine, and shows the figures that look
// bad beside the others.
func TestGateway_G11_TheTableNamesTheMachineAndKeepsTheBadRows(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	s := summarise(tr.evidence, judge(tr.evidence), newLedger(), 999*time.Millisecond)
	text := s.text(palette{})
	require.Contains(t, text, fmt.Sprintf("%d core", runtime.NumCPU()))
	require.Contains(t, text, runtime.GOOS+"/"+runtime.GOARCH)
	for _, bad := range []string{string(TooSlow), "shop: well", "1.0 s", "shop: ill (500)", "FAILED"} {
		require.Contains(t, text, bad)
	}
}
