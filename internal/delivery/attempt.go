package delivery

import "time"

// Outcome is what one HTTP request came to: facts, no judgement. Whether it
// was a success is the policy's to say.
type Outcome struct {
	Status     int       // of the response; 0: none was read
	Error      ErrorCode // "": a whole response was read, whatever its status
	ErrorText  string    // for the operator: short, without bodies or secrets
	RetryAfter string    // the response header as it came, "" if absent
	Response   []byte    // the beginning of a failed response's body (S01: at most 1 KiB)
	StartedAt  time.Time
	Duration   time.Duration
}

// Attempt is one POST, or one that failed before it could be made (D13).
type Attempt struct {
	Number      int // 1… over the delivery's whole life
	Trigger     Trigger
	ScheduledAt time.Time
	Outcome     Outcome
}

// Claim is the right to send one delivery once, until LeaseUntil.
//
// Token identifies the claim: all deliveries claimed in one statement share
// it, and (delivery, token) names the attempt.
type Claim struct {
	Token      ID
	DeliveryID ID
	Event      Event
	Endpoint   *Endpoint // shared by all claims; read only

	Attempt      int // 1… over the delivery's whole life; sent as webhook-attempt
	CycleAttempt int // 1… since publish or the last replay; what the schedule counts
	Trigger      Trigger

	ScheduledAt    time.Time // when this attempt was due
	CycleStartedAt time.Time // acceptance, or the replay: what "age" counts from
	FirstAttemptAt time.Time // first attempt of this cycle; zero: this one
	ClaimedAt      time.Time // database time of the claim
	LeaseUntil     time.Time // database time
	Standing       Standing  // the endpoint's, when it was claimed
	ReceivedAt     time.Time // the same instant as ClaimedAt, on this process's clock
}

// DatabaseTime tells what the database's clock shows at an instant of this
// process's clock. The two may be hours apart: the distance is measured from
// the claim, monotonically.
func (c *Claim) DatabaseTime(local time.Time) time.Time {
	return c.ClaimedAt.Add(local.Sub(c.ReceivedAt))
}

// Claimed is what one claim brought.
type Claimed struct {
	Claims []*Claim
	// Lanes are those that were looked at.
	Lanes []LaneRef
	// More: the claim brought less than was asked for, and did not come to look at
	// all lanes that it may still take something from.
	More bool
	// NextDue is how long until some lane that there is room for may have work, by
	// the database's clock; NothingDue if none is known to.
	NextDue time.Duration
	// Untaken are lanes that must be woken: those handed to the claim that it could
	// not look at, and, beside an error, those that it may have parked.
	Untaken []LaneRef
	// Full are lanes that have as many in flight as they may, as the claim left or saw
	// them: the end of an attempt wakes them.
	Full []LaneRef
}

// NothingDue is the NextDue of an idle database.
const NothingDue = time.Duration(-1)

// Delivery is one event's way to one endpoint, as history shows it.
type Delivery struct {
	ID         ID
	EventID    ID
	EndpointID ID // zero: the event matched no endpoint
	Tenant     string
	EventType  string
	State      State
	Reason     Reason
	Resolution string // what the person who resolved it wrote (D11)
	Trigger    Trigger

	AttemptCount  int
	NextAttemptAt time.Time // zero unless pending
	LastStatus    int
	LastError     ErrorCode
	CoalesceKey   string
	SupersededBy  ID
	CreatedAt     time.Time
	ClosedAt      time.Time
}
