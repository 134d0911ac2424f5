package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

func hanging(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// The database hangs: every sender has a 503 within a second, those beyond the
// bound at once, and no more than the bound wait.
func TestDoor_AHangingDatabaseIsA503WithinASecond(t *testing.T) { // alone: it counts goroutines
	synctest.Test(t, func(t *testing.T) {
		const bound = 40
		r := newRig(t, func(o *Options) { o.MaxRequests = bound })
		var ids []delivery.ID
		for range perSource {
			ids = append(ids, r.token(`"dedupe":"none"`))
		}
		for _, id := range ids {
			require.Equal(t, http.StatusOK, r.post(id, "x").Code)
		}
		r.ledger.when(hanging, nil)
		goroutines := runtime.NumGoroutine()
		began := time.Now()
		var senders sync.WaitGroup
		var refused, most atomic.Int64
		for i := range 300 {
			senders.Go(func() {
				answer := r.post(ids[i%len(ids)], "x")
				require.Equal(t, http.StatusServiceUnavailable, answer.Code)
				require.NotEmpty(t, answer.Header().Get("Retry-After"))
				if time.Since(began) == 0 {
					refused.Add(1)
				} else {
					most.Store(max(most.Load(), int64(time.Since(began))))
				}
			})
		}
		senders.Wait()
		// Who is refused because of its source's share has a place of the door's for an
		// instant, in which another may find none.
		require.GreaterOrEqual(t, refused.Load(), int64(300-bound), "more than the bound wait")
		require.Less(t, refused.Load(), int64(300-bound/2), "the bound is not used")
		require.Less(t, time.Duration(most.Load()), time.Second)
		synctest.Wait()
		require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+2, "the committers at most")
		require.Zero(t, r.door.room.places.taken.Load())
		require.Zero(t, r.door.room.bytes.taken.Load())
		time.Sleep(time.Minute) // the committers give up
		r.ledger.when(nil, nil)
		require.Equal(t, http.StatusOK, r.post(ids[0], "x").Code)
		require.LessOrEqual(t, strings.Count(r.log.String(), "cannot be committed"), 3, "a flood of failures is a line a second")
	})
}

// All waits for the database together are under a second, not each.
func TestDoor_WaitsAddUpToLessThanASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.token("")
		r.change(func(s *shelf) { s.takes = time.Hour })
		began := time.Now()
		require.Equal(t, http.StatusServiceUnavailable, r.post(id, "x").Code)
		require.Equal(t, DefaultStorageTime, time.Since(began))
		synctest.Wait() // nobody joins a look-up that is about to end
		r.change(func(s *shelf) { s.takes = 500 * time.Millisecond })
		r.ledger.when(hanging, nil)
		began = time.Now()
		require.Equal(t, http.StatusServiceUnavailable, r.post(id, "x").Code)
		require.Equal(t, DefaultStorageTime, time.Since(began))
		time.Sleep(time.Minute)
	})
}

// Who joins a look-up that is about to end has his own time all the same.
func TestDoor_JoiningALookUpCostsNoTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.token("")
		r.change(func(s *shelf) { s.takes = time.Hour })
		var senders sync.WaitGroup
		senders.Go(func() { require.Equal(t, http.StatusServiceUnavailable, r.post(id, "x").Code) })
		time.Sleep(DefaultStorageTime - time.Millisecond)
		for range 20 {
			senders.Go(func() { require.Equal(t, http.StatusOK, r.post(id, "x").Code) })
		}
		synctest.Wait()
		r.change(func(s *shelf) { s.takes = 500 * time.Millisecond })
		senders.Wait()
		require.Equal(t, 2, r.asked)
		time.Sleep(time.Minute)
	})
}

func TestDoor_AnUnreachableDatabaseIsA503(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token("")
	require.Equal(t, http.StatusOK, r.post(id, "x").Code)
	r.ledger.when(func(context.Context) error { return errors.New("connection refused") }, nil)
	require.Equal(t, http.StatusServiceUnavailable, r.post(id, "y").Code)
	r.change(func(s *shelf) { s.err = errors.New("connection refused") })
	require.Equal(t, http.StatusServiceUnavailable, r.post(r.token(""), "y").Code)
	require.Len(t, r.ledger.all(), 1)
	require.Equal(t, 2, r.observer.of(StorageUnavailable))
	require.Empty(t, r.door.rejections.waiting, "they could not be written either")
}

// The commit stands and its answer is lost, as when the process is killed in
// between: the provider's next try is the duplicate of an event that exists.
func TestDoor_Gateway_G01_ALostAnswerIsADuplicateLater(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.token(`"dedupe":"json:id"`)
	r.ledger.when(nil, func() error { return errors.New("the connection broke after COMMIT") })
	require.Equal(t, http.StatusServiceUnavailable, r.post(id, `{"id":"7"}`).Code)
	r.ledger.when(nil, nil)
	again := receiptOf(t, r.post(id, `{"id":"7"}`).Body)
	require.True(t, again.Duplicate)
	events := r.ledger.all()
	require.Len(t, events, 1)
	require.Equal(t, events[0].ID.Format(delivery.EventPrefix), again.ID)
}

// A flood of requests that are not genuine costs a row per source and reason now
// and then, whatever comes.
func TestDoor_AFloodOfBadRequestsCostsNoWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			r.door.rejections.Run(ctx)
		}()
		id := r.token("")
		for i := range 5000 {
			request := httptest.NewRequest(http.MethodPost, pathOf(id), strings.NewReader("secret body"))
			if i%2 == 0 {
				request.Header.Set("X-Auth", fmt.Sprint("guess", i))
			}
			require.Equal(t, http.StatusUnauthorized, r.do(request).Code)
		}
		require.Empty(t, r.notes.all())
		time.Sleep(flushEvery + time.Second)
		require.Len(t, r.notes.all(), 1)
		counts := make(map[source.Reason]int64)
		for _, rejection := range r.notes.all()[0] {
			counts[rejection.Reason] = rejection.Count
			require.Equal(t, id, rejection.Source)
			require.Equal(t, "acme", rejection.Tenant)
			require.NotContains(t, fmt.Sprint(rejection), "secret body")
			require.NotContains(t, fmt.Sprint(rejection), "guess")
		}
		require.Equal(t, map[source.Reason]int64{source.HeaderMissing: 2500, source.WrongToken: 2500}, counts)
		require.Equal(t, 1, r.asked, "in the same second")
		require.Equal(t, http.StatusUnauthorized, r.do(httptest.NewRequest(http.MethodPost, pathOf(id), http.NoBody)).Code)
		cancel()
		<-stopped
		require.Len(t, r.notes.all(), 2, "the rest is written at the end")
	})
}

// stall begins a body and does not go on. It knows nothing but the address.
func (r *rig) stall(t *testing.T, server *httptest.Server, id delivery.ID, announced, sent int) net.Conn {
	return raw(t, server, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		pathOf(id), announced, strings.Repeat("x", sent)))
}

// Those who send slowly have places of their own, and a source's share of them:
// they shut the door neither for others nor for those of the same source who send
// at once.
func TestDoor_SlowSendersDoNotShutTheDoor(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxRequests = 8; o.StorageTime = 20 * time.Second })
	server := r.serve()
	waiting := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return r.door.room.waiting.taken.Load() == int64(n) }, 5*time.Second, time.Millisecond)
	}
	for i := range perSource {
		busy := r.token(`"dedupe":"none"`)
		var open []net.Conn
		for range 2 {
			open = append(open, r.stall(t, server, busy, 5, 2))
		}
		waiting(2*i + 2)
		require.Equal(t, http.StatusServiceUnavailable, statusFrom(t, r.stall(t, server, busy, 5, 2)), "and does not have to wait")
		require.Equal(t, http.StatusOK, r.post(busy, "x").Code)
		_, err := open[0].Write([]byte("cde"))
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, statusFrom(t, open[0]), "who comes late comes in")
		r.stall(t, server, busy, 5, 2)
		waiting(2*i + 2)
	}
	require.Equal(t, http.StatusOK, r.post(r.token(""), "x").Code)
	server.CloseClientConnections()
	waiting(0)
	require.Zero(t, r.door.room.waitedBytes.taken.Load())
	require.Zero(t, r.door.room.bytes.taken.Load())
}

// Who is turned away for want of room has not to send a body first.
func TestDoor_IsFullAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxRequests, o.BodyTime = 1, time.Hour })
	server, id := r.serve(), r.token("")
	require.True(t, r.door.room.places.take(1))
	require.Equal(t, http.StatusServiceUnavailable, statusFrom(t, r.stall(t, server, id, 5, 2)))
}

// Nor do those hold all the memory who have sent much, whatever sources they know.
func TestDoor_SlowSendersHaveAShareOfTheBytes(t *testing.T) {
	t.Parallel()
	const whole = 64 << 10
	r := newRig(t, func(o *Options) { o.MaxBody, o.MaxBytes, o.StorageTime = whole, 32*whole, 20*time.Second })
	server := r.serve()
	one, other := r.token(""), r.token("")
	for range 30 {
		r.stall(t, server, one, whole, whole-1)
	}
	require.Eventually(t, func() bool { return r.door.room.places.taken.Load() == 0 }, 5*time.Second, time.Millisecond)
	require.LessOrEqual(t, r.door.room.bytes.taken.Load(), int64(8*whole))
	require.Positive(t, r.door.room.waitedBytes.taken.Load())
	require.Equal(t, http.StatusOK, r.post(one, strings.Repeat("x", whole/2)).Code)
	for range 5 {
		id := r.token("")
		for range 10 {
			r.stall(t, server, id, whole, whole-1)
		}
	}
	require.Eventually(t, func() bool { return r.door.room.places.taken.Load() == 0 }, 5*time.Second, time.Millisecond)
	require.LessOrEqual(t, r.door.room.bytes.taken.Load(), int64(16*whole))
	require.Equal(t, http.StatusOK, r.post(other, strings.Repeat("x", whole)).Code)
	server.CloseClientConnections()
	require.Eventually(t, func() bool { return r.door.room.waiting.taken.Load() == 0 }, 5*time.Second, time.Millisecond)
	require.Zero(t, r.door.room.bytes.taken.Load())
}

// Bytes are counted as they come, not as they are announced.
func TestDoor_BytesInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxBytes = 200_000; o.StorageTime = 20 * time.Second })
	id := r.token(`"dedupe":"none"`)
	require.Equal(t, http.StatusServiceUnavailable, r.post(id, strings.Repeat("x", 300_000)).Code)
	require.Equal(t, http.StatusOK, r.post(id, strings.Repeat("x", 60_000)).Code)
	require.Equal(t, http.StatusServiceUnavailable, r.post(id, string(pack("gzip", make([]byte, 300_000))), "Content-Encoding", "gzip").Code)
	server := r.serve()
	raw(t, server, "POST "+pathOf(id)+" HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nab")
	require.Eventually(t, func() bool { return r.door.room.waiting.taken.Load() == 1 }, 5*time.Second, time.Millisecond)
	require.EqualValues(t, firstBytes, r.door.room.bytes.taken.Load())
	require.Equal(t, http.StatusOK, r.post(id, strings.Repeat("x", 60_000)).Code, "nothing is kept for what is only announced")
}
