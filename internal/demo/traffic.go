package demo

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/malotehq/malote/internal/demo/payload"
)

// Out of 100 requests so many are special.
const (
	percentBatches  = 5 // of several events of one tenant
	percentRepeated = 5 // sent twice at the same time, with the same idempotency key
	percentRaw      = 3 // of events, whose publisher brings the whole body
	largestBatch    = 12
)

// event is one to be published.
type event struct {
	tenant string
	payload.Payload
	raw bool   // Data is the whole body, without an envelope
	key string // idempotency key
}

// parcel is what one request publishes.
type parcel struct {
	due      time.Duration // since the beginning
	events   []event       // more than one: a batch
	repeated bool
}

// traffic is what is published, the same for the same seed but for the run's
// idempotency keys.
type traffic struct {
	run     string
	seed    uint64
	rate    int
	events  int
	tenants []string
}

// parcels gives all parcels in the order in which they are due.
func (t traffic) parcels() iter.Seq[parcel] {
	return func(yield func(parcel) bool) {
		random := rand.New(rand.NewPCG(t.seed, 0))
		for number := 0; number < t.events; {
			p := parcel{due: time.Duration(number) * time.Second / time.Duration(t.rate)}
			size := 1
			switch kind := random.IntN(100); {
			case kind < percentBatches:
				size = min(2+random.IntN(largestBatch-1), t.events-number)
			case kind < percentBatches+percentRepeated:
				p.repeated = true
			}
			tenant := t.tenants[random.IntN(len(t.tenants))]
			for range size {
				p.events = append(p.events, event{
					tenant: tenant, Payload: payload.Make(t.seed, number), raw: random.IntN(100) < percentRaw,
					key: fmt.Sprintf("%s-%d", t.run, number),
				})
				number++
			}
			if !yield(p) {
				return
			}
		}
	}
}

// body is the request's: written by hand, because an encoder would change the
// bytes of the data.
func (p *parcel) body() []byte {
	var out bytes.Buffer
	if len(p.events) == 1 {
		p.events[0].write(&out)
		return out.Bytes()
	}
	out.WriteString(`{"events":[`)
	for i := range p.events {
		if i > 0 {
			out.WriteByte(',')
		}
		p.events[i].write(&out)
	}
	out.WriteString(`]}`)
	return out.Bytes()
}

func (e *event) write(out *bytes.Buffer) {
	rest := struct {
		Tenant         string `json:"tenant"`
		Type           string `json:"type"`
		IdempotencyKey string `json:"idempotency_key"`
		CoalesceKey    string `json:"coalesce_key,omitempty"`
		EntityVersion  string `json:"entity_version,omitempty"`
		BodyBase64     string `json:"body_base64,omitempty"`
	}{Tenant: e.tenant, Type: e.Type, IdempotencyKey: e.key, CoalesceKey: e.Entity, EntityVersion: e.Version}
	if e.raw {
		rest.BodyBase64 = base64.StdEncoding.EncodeToString(e.Data)
	}
	encoded, _ := json.Marshal(rest) // strings always have a JSON form
	if e.raw {
		out.Write(encoded)
		return
	}
	out.Write(encoded[:len(encoded)-1])
	out.WriteString(`,"data":`)
	out.Write(e.Data)
	out.WriteByte('}')
}
