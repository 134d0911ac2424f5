package torture_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/torture"
)

// The kinds of events.
const (
	fact    = "fact"    // wanted by nearly everybody
	rare    = "rare"    // wanted by the slow
	ordered = "ordered" // wanted in order
	state   = "state"   // of an entity; replaced by the next
	push    = "push"    // a provider's, through the inbound door
	order   = "order"   // an application's, through the outbox
	bulk    = "bulk"    // many, for one quick endpoint
)

// ledger is what publishers meant and what they were told.
type ledger struct {
	mu      sync.Mutex
	intents []*torture.Intent
	told    int // accepted
	offset  int // of the keys' numbers
}

// mean notes an intent before anybody else hears of it, and gives its body: one
// of its own, with what re-encoding would change.
func (l *ledger) mean(way, kind string) (*torture.Intent, []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprintf("%s-%d", way, l.offset+len(l.intents))
	body := fmt.Appendf(nil, "{ \"key\":%q,\t\"n\": 1.00000000000000000001, \"t\":\"\\u00e9\\u0000<&>/ \U0001F427\", \"a\":{\"z\":1,\"a\":2} }\r\n", key)
	intent := &torture.Intent{Key: key, Way: way, Type: kind, Digest: sha256.Sum256(body), Certainty: torture.Unknown}
	l.intents = append(l.intents, intent)
	return intent, body
}

func (l *ledger) accept(intent *torture.Intent, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if intent.Certainty != torture.Accepted {
		intent.Certainty = torture.Accepted
		l.told++
	}
	if id != "" {
		intent.EventIDs = append(intent.EventIDs, id)
	}
}

// publishers publish until they are told to stop, and what they have begun until
// it is accepted.
type publishers struct {
	*ledger
	world  *world
	client *http.Client
	haste  atomic.Int32 // how many times faster than usual
	hushed atomic.Int32 // how many want them to be quiet
	stop   context.Context
	giveUp context.Context
	crowd  sync.WaitGroup
}

func (p *publishers) start(seed uint64) {
	loop := func(pace time.Duration, publish func(*rand.Rand)) {
		random := rand.New(rand.NewPCG(seed, uint64(pace)))
		p.crowd.Go(func() {
			for p.stop.Err() == nil {
				if p.hushed.Load() == 0 {
					publish(random)
				}
				wait(p.stop, time.Duration(random.Int64N(int64(2*pace)))/time.Duration(1+p.haste.Load()))
			}
		})
	}
	for i := range 3 {
		loop(200*time.Millisecond+time.Duration(i), p.fact)
	}
	loop(350*time.Millisecond, func(*rand.Rand) { p.api(rare, "", 0) })
	turn, states := 0, 0
	loop(250*time.Millisecond, func(*rand.Rand) { turn++; p.api(ordered, "", turn) })
	loop(120*time.Millisecond, func(random *rand.Rand) {
		states++
		p.api(state, fmt.Sprintf("entity-%d", random.IntN(5)), states)
	})
	loop(300*time.Millisecond, p.push)
	loop(310*time.Millisecond, p.push)
	loop(250*time.Millisecond, p.order)
	loop(260*time.Millisecond, p.order)
}

// fact publishes one, and now and then once more after it was accepted.
func (p *publishers) fact(random *rand.Rand) {
	again := p.api(fact, "", 0)
	if random.IntN(5) == 0 && again != nil {
		again()
	}
}

// api publishes one event until it is accepted. again repeats that.
func (p *publishers) api(kind, entity string, place int) (again func()) {
	intent, body := p.mean("api", kind)
	intent.Entity, intent.Order = entity, place
	request := map[string]any{
		"tenant": tenant, "type": kind, "idempotency_key": intent.Key,
		"body_base64": base64.StdEncoding.EncodeToString(body), "content_type": "application/json",
	}
	if entity != "" {
		request["coalesce_key"] = entity
	}
	encoded, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	publish := func() {
		p.until(intent, func() *http.Request {
			r := p.request(p.world.api.url+"/v1/events", encoded)
			r.Header.Set("Authorization", "Bearer "+adminKey)
			return r
		})
	}
	publish()
	return publish
}

// push is a provider who sends its webhook until it has a receipt.
func (p *publishers) push(random *rand.Rand) {
	intent, body := p.mean("ingest", push)
	mac := hmac.New(sha256.New, []byte(providerSecret))
	mac.Write(body)
	deliver := func() {
		p.until(intent, func() *http.Request {
			r := p.request(p.world.ingest.url+p.world.source, body)
			r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
			r.Header.Set("X-GitHub-Delivery", intent.Key)
			r.Header.Set("X-GitHub-Event", push)
			return r
		})
	}
	deliver()
	if random.IntN(4) == 0 {
		deliver()
	}
}

func (p *publishers) request(url string, body []byte) *http.Request {
	r, err := http.NewRequestWithContext(p.giveUp, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// until sends a request until it is acknowledged.
func (p *publishers) until(intent *torture.Intent, make func() *http.Request) {
	for p.giveUp.Err() == nil {
		if id, ok := p.try(make()); ok {
			p.accept(intent, id)
			return
		}
		wait(p.giveUp, 30*time.Millisecond)
	}
}

func (p *publishers) try(request *http.Request) (id string, ok bool) {
	response, err := p.client.Do(request)
	if err != nil {
		return "", false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	var answer struct{ ID string }
	accepted := response.StatusCode == http.StatusAccepted || response.StatusCode == http.StatusOK
	if err != nil || !accepted {
		return "", false
	}
	err = json.Unmarshal(body, &answer)
	return answer.ID, err == nil
}

// order is an application's transaction: an order and its event, or neither.
// What became of it the orders say, when all is over.
func (p *publishers) order(random *rand.Rand) {
	intent, body := p.mean("outbox", order)
	ctx, cancel := context.WithTimeout(p.giveUp, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.world.shop)
	if err != nil {
		return
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it may be gone
	tx, err := conn.Begin(ctx)
	if err != nil {
		return
	}
	if _, err := tx.Exec(ctx, `INSERT INTO public.orders VALUES ($1)`, intent.Key); err != nil {
		return
	}
	if _, err := tx.Exec(ctx, `SELECT malote.publish($1, $2, $3::bytea, 'application/json')`, tenant, order, body); err != nil {
		return
	}
	if random.IntN(5) == 0 {
		_ = tx.Rollback(ctx)
		return
	}
	_ = tx.Commit(ctx)
}
