package torture_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/torture"
)

// sound is a journal in which every promise is kept: a fact that went to two
// endpoints, a state that was replaced, and what must stay in order.
func sound() *torture.Journal {
	body := func(n byte) torture.Digest { return torture.Digest{n} }
	at := func(n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond }
	request := func(endpoint, event string, n byte, attempt, start int, accepted bool) torture.Request {
		return torture.Request{
			Endpoint: endpoint, EventID: event, Attempt: attempt, Start: at(start), End: at(start + 1), Whole: true,
			Digest: body(n), Accepted: accepted,
		}
	}
	return &torture.Journal{
		Deadline: time.Second, Lease: 12 * time.Second,
		Endpoints: []torture.Endpoint{
			{ID: "plain", Name: "plain", Limit: 2},
			{ID: "once", Name: "once", Limit: 1, AtMostOnce: true, Types: []string{"fact"}},
			{ID: "fifo", Name: "fifo", Limit: 4, FIFO: true, Types: []string{"ordered"}},
		},
		Intents: []torture.Intent{
			{Key: "a", Type: "fact", Digest: body(1), Certainty: torture.Accepted, EventIDs: []string{"e1"}},
			{Key: "s1", Type: "state", Digest: body(2), Certainty: torture.Accepted, EventIDs: []string{"e2"}, Entity: "s", Order: 1},
			{Key: "s2", Type: "state", Digest: body(3), Certainty: torture.Unknown, Entity: "s", Order: 2},
			{Key: "o1", Type: "ordered", Digest: body(4), Certainty: torture.Accepted, Order: 1},
			{Key: "o2", Type: "ordered", Digest: body(5), Certainty: torture.Accepted, Order: 2},
			{Key: "void", Type: "fact", Digest: body(6), Certainty: torture.Void},
		},
		Events: []torture.Event{
			{ID: "e1", Type: "fact", Digest: body(1)}, {ID: "e2", Type: "state", Digest: body(2)},
			{ID: "e3", Type: "state", Digest: body(3)}, {ID: "e4", Type: "ordered", Digest: body(4)},
			{ID: "e5", Type: "ordered", Digest: body(5)},
		},
		Deliveries: []torture.Delivery{
			{ID: "d1", EventID: "e1", EndpointID: "plain", State: "delivered", AttemptCount: 2},
			{ID: "d2", EventID: "e1", EndpointID: "once", State: "dead", Reason: "interrupted", AttemptCount: 1},
			{ID: "d3", EventID: "e2", EndpointID: "plain", State: "superseded", Reason: "d4"},
			{ID: "d4", EventID: "e3", EndpointID: "plain", State: "delivered", AttemptCount: 1},
			{ID: "d5", EventID: "e4", EndpointID: "plain", State: "delivered", AttemptCount: 1},
			{ID: "d6", EventID: "e5", EndpointID: "plain", State: "delivered", AttemptCount: 1},
			{ID: "d7", EventID: "e4", EndpointID: "fifo", State: "delivered", AttemptCount: 1},
			{ID: "d8", EventID: "e5", EndpointID: "fifo", State: "delivered", AttemptCount: 1},
		},
		Requests: []torture.Request{
			request("plain", "e1", 1, 1, 0, false), request("plain", "e1", 1, 2, 10, true),
			request("once", "e1", 1, 1, 0, true), request("plain", "e3", 3, 1, 20, true),
			request("plain", "e4", 4, 1, 30, true), request("plain", "e5", 5, 1, 30, true),
			request("fifo", "e4", 4, 1, 40, true), request("fifo", "e5", 5, 1, 50, true),
		},
		Attempts: []torture.AttemptRecord{
			{DeliveryID: "d1", Number: 1, Status: 500, Code: "http_status"}, {DeliveryID: "d1", Number: 2, Status: 204},
			{DeliveryID: "d2", Number: 1, Code: "interrupted"}, {DeliveryID: "d4", Number: 1, Status: 204},
			{DeliveryID: "d5", Number: 1, Status: 204}, {DeliveryID: "d6", Number: 1, Status: 204},
			{DeliveryID: "d7", Number: 1, Status: 204}, {DeliveryID: "d8", Number: 1, Status: 204},
		},
	}
}

func TestCheck_FindsNothingWhereNothingIs(t *testing.T) {
	t.Parallel()
	require.Empty(t, torture.Check(sound()))
}

// late is what a process that had been stopped sends when it goes on.
func TestCheck_ForgivesWhatAStoppedProcessHadBegun(t *testing.T) {
	t.Parallel()
	j := sound()
	j.Requests = append(j.Requests, j.Requests[4], j.Requests[5])
	require.Equal(t, []torture.Promise{torture.WithinLimit}, broken(j))
	j.Resumes = []time.Duration{2500 * time.Millisecond}
	require.Empty(t, broken(j))
}

func TestCheck_DoesNotCountWhatWasClaimedAsPostgreSQLCrashed(t *testing.T) {
	t.Parallel()
	j := sound()
	j.Requests = append(j.Requests, j.Requests[4], j.Requests[5])
	j.Crashes = []torture.Span{{From: 3200 * time.Millisecond, To: 3300 * time.Millisecond}}
	require.Empty(t, broken(j))
	j.Crashes = []torture.Span{{From: 4200 * time.Millisecond, To: 4300 * time.Millisecond}}
	require.Equal(t, []torture.Promise{torture.WithinLimit}, broken(j))
}

// broken lists the promises, each once.
func broken(j *torture.Journal) (list []torture.Promise) {
	for _, violation := range torture.Check(j) {
		if len(list) == 0 || list[len(list)-1] != violation.Promise {
			list = append(list, violation.Promise)
		}
	}
	return list
}

// Each kind of violation is found, and called by its name.
func TestCheck_FindsEveryKindOfViolation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*torture.Journal)
		want  torture.Promise
	}{
		"three at once where two may be": {func(j *torture.Journal) {
			j.Requests = append(j.Requests, j.Requests[4])
		}, torture.WithinLimit},
		"two at once where order is strict": {func(j *torture.Journal) { j.Requests[7].Start = 4050 * time.Millisecond }, torture.WithinLimit},
		"a later event first":               {func(j *torture.Journal) { j.Requests[7].Start, j.Requests[7].End = 0, 1 }, torture.InOrder},
		"a delivery that stays open":        {func(j *torture.Journal) { j.Deliveries[3].State = "pending" }, torture.NothingAsleep},
		"lanes that nobody woke":            {func(j *torture.Journal) { j.Stranded = 1 }, torture.NothingAsleep},
		"closed by an attempt whose claim was lost": {func(j *torture.Journal) {
			j.Deliveries[0].AttemptCount = 1
		}, torture.LostIsLost},
		"another attempt right after a success": {func(j *torture.Journal) {
			j.Requests[0].Accepted = true
			j.Attempts[0] = torture.AttemptRecord{DeliveryID: "d1", Number: 1, Status: 204}
		}, torture.LostIsLost},
		"one key, two events": {func(j *torture.Journal) {
			j.Events = append(j.Events, torture.Event{ID: "e9", Type: "none", Digest: j.Events[0].Digest})
			j.Endpoints[0].Types = []string{"fact", "state", "ordered"}
		}, torture.ExactlyOnce},
		"a repeat answered with another id": {func(j *torture.Journal) { j.Intents[0].EventIDs = []string{"e1", "e2"} }, torture.ExactlyOnce},
		"accepted and not there": {func(j *torture.Journal) {
			j.Intents = append(j.Intents, torture.Intent{Key: "lost", Digest: torture.Digest{9}, Certainty: torture.Accepted})
		}, torture.Durable},
		"an event that nobody meant": {func(j *torture.Journal) {
			j.Intents[3].Digest = torture.Digest{9}
			j.Intents[3].Certainty = torture.Unknown
		}, torture.NoInvention},
		"an event of what was rolled back":   {func(j *torture.Journal) { j.Intents[0].Certainty = torture.Void }, torture.NoInvention},
		"a request for an event not there":   {func(j *torture.Journal) { j.Requests[3].EventID = "e0" }, torture.NoInvention},
		"a delivery that is missing":         {func(j *torture.Journal) { j.Deliveries = j.Deliveries[:7] }, torture.Accounted},
		"two deliveries":                     {func(j *torture.Journal) { j.Deliveries = append(j.Deliveries, j.Deliveries[0]) }, torture.Accounted},
		"dead without a reason":              {func(j *torture.Journal) { j.Deliveries[1].Reason = "" }, torture.Accounted},
		"delivered and never accepted":       {func(j *torture.Journal) { j.Requests[3].Accepted = false }, torture.Received},
		"twice where once is the most":       {func(j *torture.Journal) { j.Requests = append(j.Requests, late(j.Requests[2])) }, torture.AtMostOnce},
		"a request without an attempt":       {func(j *torture.Journal) { j.Attempts = j.Attempts[1:] }, torture.Recorded},
		"a success without a request":        {func(j *torture.Journal) { j.Requests = append(j.Requests[:3], j.Requests[4:]...) }, torture.Recorded},
		"a signature that does not hold":     {func(j *torture.Journal) { j.Requests[0].Problem = "no" }, torture.Signed},
		"a body that was changed on its way": {func(j *torture.Journal) { j.Requests[0].Digest = torture.Digest{9} }, torture.SameBytes},
		"the last state replaced by an older": {func(j *torture.Journal) {
			j.Deliveries[2], j.Deliveries[3] = j.Deliveries[3], j.Deliveries[2]
			j.Deliveries[2].EventID, j.Deliveries[3].EventID = "e2", "e3"
		}, torture.Latest},
		"a sound row refused": {func(j *torture.Journal) { j.Refused = 1 }, torture.NotRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := sound()
			c.spoil(j)
			require.Contains(t, broken(j), c.want, "%v", torture.Check(j))
		})
	}
}

func late(r torture.Request) torture.Request {
	r.Start, r.End = r.Start+20*time.Second, r.End+20*time.Second
	return r
}

func TestPlan_DependsOnTheSeedAlone(t *testing.T) {
	t.Parallel()
	scene := torture.Scene{Processes: []string{"a", "b"}, Workers: []string{"b"}, Receivers: []string{"c"}, Lease: 12 * time.Second}
	one, two := torture.Plan(7, time.Minute, scene), torture.Plan(8, time.Minute, scene)
	require.Equal(t, one, torture.Plan(7, time.Minute, scene))
	require.NotEqual(t, one, two)
	had := make(map[torture.Kind]bool)
	for i, fault := range one {
		had[fault.Kind] = true
		require.Less(t, fault.At, time.Minute)
		require.True(t, i == 0 || one[i-1].At <= fault.At, "in the order of time")
	}
	require.Len(t, had, len(torture.Kinds), "a minute has every kind")
}
