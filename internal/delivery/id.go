package delivery

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"go.jetify.com/typeid"
)

// ID is a UUIDv7 (RFC 9562 §5.7) that also carries the shard of its tenant.
//
// Layout, in bits: 48 of Unix milliseconds, 4 of version, 12 of sub-millisecond
// fraction, 2 of variant, 52 of randomness, 10 of shard. The shard is in the id
// so that a look-up by id alone touches one shard: nobody has to know the
// tenant first. The time is in front so that tables partitioned by id are
// partitioned by day, and pages ordered by id are ordered by time.
type ID [16]byte

// Prefix is the type in front of an id as people see it (TypeID 0.3).
type Prefix string

// The prefixes of the public API.
const (
	EventPrefix    Prefix = "evt"
	DeliveryPrefix Prefix = "whd"
	EndpointPrefix Prefix = "whe"
	SecretPrefix   Prefix = "sec"
	SourcePrefix   Prefix = "src"
	KeyPrefix      Prefix = "key"
	RecoveryPrefix Prefix = "rec"
	SignalPrefix   Prefix = "sig"
	UserPrefix     Prefix = "usr"
	AuditPrefix    Prefix = "aud"
)

// ErrInvalidID is what every unreadable id is wrapped in.
var ErrInvalidID = errors.New("not an id of this kind")

// NewID makes an id for the given shard and instant. Its randomness is read
// from random (crypto/rand.Reader in production), which must not fail.
func NewID(shard Shard, at time.Time, random io.Reader) ID {
	var id ID
	if _, err := io.ReadFull(random, id[8:]); err != nil {
		panic(fmt.Sprintf("delivery: the source of randomness failed: %v", err))
	}
	putTime(&id, at)
	id[8] = id[8]&0x3f | 0x80
	id[14] = id[14]&0xfc | byte(shard>>8)&0x03
	id[15] = byte(shard)
	return id
}

// NewDeliveryID makes the id of a delivery of the given event. It shares the
// event's time and shard bits and has its own randomness, so that a delivery
// lies in the same partition as its event and an event's deliveries are found
// in the narrow id range that EventRange gives, without an index of their own.
func NewDeliveryID(event ID, random io.Reader) ID {
	id := NewID(event.Shard(), event.Time(), random)
	copy(id[:8], event[:8])
	return id
}

// EventRange gives the ids [from, to) between which all deliveries of an event
// lie: those of the event's own sub-millisecond tick.
func EventRange(event ID) (from, to ID) {
	copy(from[:8], event[:8])
	binary.BigEndian.PutUint64(to[:8], binary.BigEndian.Uint64(event[:8])+1)
	return from, to
}

// FloorID is the lowest id that any id made at the instant or later can have:
// the bound for partitions and for "since".
func FloorID(at time.Time) ID {
	var id ID
	putTime(&id, at)
	return id
}

// putTime writes milliseconds, version and the fraction of the millisecond.
func putTime(id *ID, at time.Time) {
	nanos := at.UnixNano()
	millis := nanos / int64(time.Millisecond)
	fraction := (nanos % int64(time.Millisecond)) * 4096 / int64(time.Millisecond)
	binary.BigEndian.PutUint64(id[:8], uint64(millis)<<16|0x7000|uint64(fraction)&0x0fff)
}

// Time is when the id was made, to about a quarter of a microsecond.
func (id ID) Time() time.Time {
	head := binary.BigEndian.Uint64(id[:8])
	// Rounded up, so that Time followed by putTime gives the same bits again.
	fraction := (int64(head&0x0fff)*int64(time.Millisecond) + 4095) / 4096
	return time.Unix(0, int64(head>>16)*int64(time.Millisecond)+fraction).UTC()
}

// Shard is the shard that the id was made for.
func (id ID) Shard() Shard {
	return Shard(id[14]&0x03)<<8 | Shard(id[15])
}

// IsZero says whether the id was never set.
func (id ID) IsZero() bool { return id == ID{} }

// UUID gives the id in the form that the database stores.
func (id ID) UUID() uuid.UUID { return uuid.UUID(id) }

// String shows the bare UUID; people see Format.
func (id ID) String() string { return uuid.UUID(id).String() }

// Format shows the id as a TypeID, for example evt_01h455vb4pex5vsknk084sn02q.
func (id ID) Format(prefix Prefix) string {
	shown, err := typeid.FromUUIDWithPrefix(string(prefix), id.String())
	if err != nil {
		panic(fmt.Sprintf("delivery: a prefix of ours is not a TypeID prefix: %v", err))
	}
	return shown.String()
}

// ParseID reads a TypeID that must have the given prefix. Every error wraps
// ErrInvalidID.
func ParseID(prefix Prefix, shown string) (ID, error) {
	parsed, err := typeid.FromString(shown)
	if err != nil || parsed.Prefix() != string(prefix) {
		return ID{}, fmt.Errorf("%w: want %s_ and 26 characters", ErrInvalidID, prefix)
	}
	id := ID(parsed.UUIDBytes())
	if id[6]>>4 != 7 || id[8]>>6 != 2 || id.Format(prefix) != shown {
		return ID{}, fmt.Errorf("%w: it was not made by Malote", ErrInvalidID)
	}
	return id, nil
}

// ParseUUID reads the bare UUID of an id, in lower or upper case. Every error
// wraps ErrInvalidID.
func ParseUUID(shown string) (ID, error) {
	parsed, err := uuid.Parse(shown)
	id := ID(parsed)
	if err != nil || len(shown) != uuidLength || id[6]>>4 != 7 || id[8]>>6 != 2 {
		return ID{}, fmt.Errorf("%w: want a UUID that Malote made", ErrInvalidID)
	}
	return id, nil
}

// IsUUID says whether a text is a UUID of any version, in the usual form.
func IsUUID(text string) bool { return len(text) == uuidLength && uuid.Validate(text) == nil }

// uuidLength is of the usual form: others that the library reads are no ids here.
const uuidLength = 36

// Before is the next lower id: what comes after it, begins with the id.
func (id ID) Before() ID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]--; id[i] != 0xff {
			break
		}
	}
	return id
}
