package ingest

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

const (
	// freshFor is how long what was read of a source is used: a revoked secret
	// opens nothing any more after that.
	freshFor = time.Second
	// rememberedUnknown bounds the ids that are known to be no source.
	rememberedUnknown = 10_000
	// lookups bounds how many connections of the database whoever tries ids out
	// can use.
	lookups = 8
)

// live is a source as it was read, ready for use.
type live struct {
	Source
	provider *source.Provider
	settings Settings
	broken   error // why there are no settings
	*state
}

// state outlives what was read.
type state struct {
	limiter *rate.Limiter // of genuine requests; nil: no limit
	// failures is the same rate for those that are not genuine: they take nothing
	// from the others, and a flood of them is told so.
	failures *rate.Limiter
	room     *room     // requests under way
	matched  *sync.Map // names of secrets that were logged
}

// liveSources keeps what was read of sources for a moment.
type liveSources struct {
	sources Sources
	maxBody int
	newRoom func() *room // a source's share

	mu      sync.Mutex
	known   map[delivery.ID]cached
	unknown map[delivery.ID]time.Time // until when

	flights singleflight.Group
	slots   chan struct{}
}

type cached struct {
	live  *live
	until time.Time
}

func newLiveSources(sources Sources, maxBody int, newRoom func() *room) *liveSources {
	return &liveSources{
		sources: sources, maxBody: maxBody, newRoom: newRoom,
		known: make(map[delivery.ID]cached), unknown: make(map[delivery.ID]time.Time),
		slots: make(chan struct{}, lookups),
	}
}

// find gives a source that was read at most freshFor ago; nil: there is none.
// However many ask at once, it is read once. Who joined a look-up whose time ended
// before his own begins another.
func (s *liveSources) find(ctx context.Context, id delivery.ID) (*live, error) {
	if found, known := s.fresh(id, time.Now()); known {
		return found, nil
	}
	deadline, _ := ctx.Deadline()
	for {
		mine := false
		done := s.flights.DoChan(string(id[:]), func() (any, error) {
			mine = true
			return s.read(deadline, id)
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case result := <-done:
			isOver := errors.Is(result.Err, context.DeadlineExceeded) || errors.Is(result.Err, errCrowded)
			if isOver && !mine && ctx.Err() == nil {
				continue
			}
			found, _ := result.Val.(*live)
			return found, result.Err
		}
	}
}

func (s *liveSources) fresh(id delivery.ID, now time.Time) (_ *live, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if entry, ok := s.known[id]; ok && now.Before(entry.until) {
		return entry.live, true
	}
	until, ok := s.unknown[id]
	return nil, ok && now.Before(until)
}

// errCrowded says that too many ids are being looked up.
var errCrowded = errors.New("too many sources are being looked up")

// read is one look into the database, for all who wait for it: it does not end
// with whoever came first.
func (s *liveSources) read(deadline time.Time, id delivery.ID) (*live, error) {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, errCrowded
	}
	asked := time.Now()
	found, ok, err := s.sources.FindSource(ctx, id)
	if err != nil {
		return nil, err
	}
	fresh := freshFor
	if found.FreshFor > 0 {
		fresh = min(fresh, found.FreshFor)
	}
	return s.keep(id, found, ok, asked.Add(fresh)), nil
}

func (s *liveSources) keep(id delivery.ID, found Source, ok bool, until time.Time) *live {
	s.mu.Lock()
	before := s.known[id].live
	s.mu.Unlock()
	var now *live
	if ok {
		now = s.prepare(found, before)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now == nil {
		delete(s.known, id)
		if len(s.unknown) >= rememberedUnknown {
			clear(s.unknown)
		}
		s.unknown[id] = until
		return nil
	}
	delete(s.unknown, id)
	s.known[id] = cached{now, until}
	return now
}

// prepare reads the settings, unless they are those of before.
func (s *liveSources) prepare(found Source, before *live) *live {
	if before != nil && before.Version == found.Version {
		same := *before
		same.Source = found // secrets end by themselves
		return &same
	}
	now := &live{Source: found, state: &state{matched: &sync.Map{}}}
	if before != nil {
		now.state.room, now.state.limiter, now.state.failures = before.room, before.limiter, before.failures
	} else {
		now.state.room = s.newRoom()
	}
	provider, ok := source.Lookup(found.Provider)
	if !ok {
		now.broken = errors.New("there is no provider " + found.Provider)
		return now
	}
	now.provider = provider
	now.settings, now.broken = ParseSettings(provider, found.Settings, s.maxBody)
	now.state.limiter = limited(now.state.limiter, now.settings.Rate)
	now.state.failures = limited(now.state.failures, now.settings.Rate)
	return now
}

// limited changes the rate of a bucket that others may be using; what is in it
// stays.
func limited(bucket *rate.Limiter, to RateLimit) *rate.Limiter {
	switch {
	case to.PerSecond == 0:
		return nil
	case bucket == nil:
		return rate.NewLimiter(rate.Limit(to.PerSecond), to.Burst)
	}
	bucket.SetLimit(rate.Limit(to.PerSecond))
	bucket.SetBurst(to.Burst)
	return bucket
}

// wait is how long a request has to wait before the rate allows it; 0: it may go
// on. A request that must come again takes nothing out of the bucket. (A
// reservation that is given back would: rate keeps those of others that came
// after it.)
func wait(bucket *rate.Limiter, now time.Time) time.Duration {
	if bucket == nil || bucket.AllowN(now, 1) {
		return 0
	}
	missing := 1 - bucket.TokensAt(now)
	seconds := max(missing, 0) / float64(bucket.Limit())
	return max(time.Second, time.Duration(min(seconds, maxWait.Seconds())*float64(time.Second)))
}

// maxWait bounds what a sender is told, whatever the rate.
const maxWait = time.Hour

// isNews says whether a secret matches for the first time since the source or its
// secrets were changed.
func (s *state) isNews(secret string) bool {
	_, told := s.matched.LoadOrStore(secret, true)
	return !told
}
