package ingest

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// Pattern is where the door stands on a ServeMux, for every method.
const Pattern = "/in/{source_id}"

// Defaults of Options.
const (
	DefaultMaxBody     = publish.DefaultMaxBody // bytes
	DefaultMaxRequests = 512
	DefaultMaxBytes    = 128 << 20
	DefaultBodyTime    = 10 * time.Second
	// DefaultStorageTime leaves a fifth of the second after which a sender must
	// have its 503.
	DefaultStorageTime = 800 * time.Millisecond
)

// Options of New. Sources, Publisher, Fetcher, Rejections and Observer must be
// given.
type Options struct {
	Sources    Sources
	Publisher  Publisher
	Fetcher    Fetcher
	Rejections *Gatherer
	Observer   Observer
	Tally      *Tally // nil: what comes in is not counted by source
	Log        *slog.Logger

	// PublicURL is the server's address as providers are given it, such as
	// https://hooks.example.com; /in/… follows it. Empty: what the request says.
	PublicURL string
	// TrustedProxies are the addresses whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix

	MaxBody     int           // bytes of a body; at most what publishing takes
	MaxRequests int           // under way at once, and as many whose bodies are waited for
	MaxBytes    int64         // of their bodies, together
	BodyTime    time.Duration // in which a body must arrive
	StorageTime time.Duration // that a request may wait for the database, in all

	Now func() time.Time // what signed times are held against; default time.Now
}

// Door receives webhooks. It is an http.Handler, to be mounted at Pattern.
type Door struct {
	live           *liveSources
	publisher      Publisher
	fetcher        Fetcher
	rejections     *Gatherer
	observer       Observer
	tally          *Tally
	log            *slog.Logger
	publicURL      string
	trustedProxies []netip.Prefix
	bodyTime       time.Duration
	storageTime    time.Duration
	now            func() time.Time

	room *room
	// complaints keeps a database that is down from filling the log.
	complaints rate.Sometimes
}

// New makes a door.
func New(options Options) *Door {
	setDefault(&options.MaxBody, DefaultMaxBody)
	setDefault(&options.MaxRequests, DefaultMaxRequests)
	setDefault(&options.MaxBytes, DefaultMaxBytes)
	setDefault(&options.BodyTime, DefaultBodyTime)
	setDefault(&options.StorageTime, DefaultStorageTime)
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Door{
		live: newLiveSources(options.Sources, options.MaxBody, func() *room {
			return newShare(options.MaxRequests, options.MaxBytes, options.MaxBody)
		}),
		publisher: options.Publisher, fetcher: options.Fetcher, rejections: options.Rejections,
		observer: options.Observer, tally: options.Tally, log: options.Log, publicURL: options.PublicURL,
		trustedProxies: options.TrustedProxies, bodyTime: options.BodyTime, storageTime: options.StorageTime,
		now:        options.Now,
		room:       newRoom(options.MaxRequests, options.MaxBytes),
		complaints: rate.Sometimes{Interval: time.Second},
	}
}

func setDefault[T int | int64 | time.Duration](value *T, otherwise T) {
	if *value == 0 {
		*value = otherwise
	}
}

// ServeHTTP answers one request. See the package's comment for what is answered.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	limitBodyTime(w, r, d.bodyTime)
	p := &passage{Door: d, w: w, r: r, patience: d.storageTime}
	defer p.memory.leave()
	a := p.answer()
	a.write(w)
	p.observe(a, time.Since(started))
}

// observe counts the request, and keeps a record of one that was turned away.
func (p *passage) observe(a *answer, took time.Duration) {
	provider := ""
	if p.live != nil && p.live.provider != nil {
		provider = p.live.provider.Name
	}
	p.observer.InboundAnswered(provider, a.response.Status, took)
	if a.reason == "" {
		return
	}
	p.observer.InboundRejected(provider, a.reason)
	if p.live != nil && isWorthARecord(a.reason) {
		now := time.Now()
		p.rejections.add(Rejection{
			Source: p.live.ID, Tenant: p.live.Tenant, Reason: a.reason, Detail: a.detail, Count: 1, First: now, Last: now,
		})
		p.tally.add(Arrivals{Source: p.live.ID, Hour: now, Rejected: 1})
	}
}

// isWorthARecord leaves out what says nothing about the source, and what could
// not be written anyway.
func isWorthARecord(reason source.Reason) bool {
	return reason != Overloaded && reason != StorageUnavailable
}
