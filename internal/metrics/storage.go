package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Lag is how far deliveries are behind, as F17 wants it: one slow customer must
// look different from a platform without capacity.
type Lag struct {
	OldestAll     time.Duration // age of the oldest pending delivery
	OldestHealthy time.Duration // the same over endpoints that are well
	Pending       int
	Sending       int
	Lanes         []LaneLag // the most delayed
}

// LaneLag is one of the most delayed endpoints.
type LaneLag struct {
	Endpoint, Tenant string
	Oldest           time.Duration
	Pending          int
}

// Pool is the state of one pool of database connections.
type Pool struct {
	Name             string
	InUse, Idle, Max int32
	Waits            int64
	Waited           time.Duration
}

// Storage is what only the database knows.
type Storage interface {
	Lag(ctx context.Context) (Lag, error)
	// PartitionsUntil is the first instant from today on for which a table has no
	// partition: nothing can be published then.
	PartitionsUntil(ctx context.Context) (time.Time, error)
	Pools() []Pool
}

// lagAge is how old a lag may be that is shown again, or the failure to read it:
// several scrapers must not add up to load, nor each wait for a database that
// does not answer. lagTimeout bounds that wait.
const (
	lagAge     = 5 * time.Second
	lagTimeout = 3 * time.Second
)

// storageCollector asks the storage when it is scraped.
type storageCollector struct {
	storage Storage
	log     *slog.Logger

	mu         sync.Mutex // owns the four below
	lag        Lag
	partitions time.Time
	err        error
	read       time.Time

	until, oldest, pending, sending, lane, lanePending, connections, waits, waited *prometheus.Desc
}

// WatchStorage adds what the storage knows to the metrics.
func (m *Metrics) WatchStorage(storage Storage, log *slog.Logger) {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	m.registry.MustRegister(&storageCollector{
		storage: storage, log: log,
		until:       describe("malote_partitions_until_timestamp_seconds", "When the first table runs out of partitions; maintenance makes them two weeks ahead. Nothing can be published after it."),
		oldest:      describe("malote_oldest_pending_age_seconds", "Age of the oldest pending delivery, over all endpoints and over the healthy ones.", "endpoints"),
		pending:     describe("malote_pending_deliveries", "Deliveries that wait."),
		sending:     describe("malote_sending_deliveries", "Deliveries in flight, over all processes."),
		lane:        describe("malote_lane_oldest_pending_age_seconds", "The same for each of the most delayed endpoints.", "endpoint", "tenant"),
		lanePending: describe("malote_lane_pending_deliveries", "Deliveries that wait for each of the most delayed endpoints.", "endpoint", "tenant"),
		connections: describe("malote_database_connections", "Connections of this process's pools.", "pool", "state"),
		waits:       describe("malote_database_waits_total", "Times that work waited for a connection.", "pool"),
		waited:      describe("malote_database_wait_seconds_total", "How long it waited.", "pool"),
	})
}

// Describe implements prometheus.Collector.
func (c *storageCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.until, c.oldest, c.pending, c.sending, c.lane, c.lanePending, c.connections, c.waits, c.waited} {
		out <- d
	}
}

// Collect implements prometheus.Collector. While the database is away, the lag
// is missing rather than old.
func (c *storageCollector) Collect(out chan<- prometheus.Metric) {
	c.collectPools(out)
	lag, partitions, err := c.current()
	if err != nil {
		c.log.Warn("reading the lag for the metrics failed", "error", err)
		return
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(c.until, float64(partitions.Unix()))
	gauge(c.oldest, lag.OldestAll.Seconds(), "all")
	gauge(c.oldest, lag.OldestHealthy.Seconds(), "healthy")
	gauge(c.pending, float64(lag.Pending))
	gauge(c.sending, float64(lag.Sending))
	for _, lane := range lag.Lanes {
		gauge(c.lane, lane.Oldest.Seconds(), lane.Endpoint, lane.Tenant)
		gauge(c.lanePending, float64(lane.Pending), lane.Endpoint, lane.Tenant)
	}
}

func (c *storageCollector) collectPools(out chan<- prometheus.Metric) {
	for _, p := range c.storage.Pools() {
		for state, n := range map[string]int32{"idle": p.Idle, "in_use": p.InUse, "max": p.Max} {
			out <- prometheus.MustNewConstMetric(c.connections, prometheus.GaugeValue, float64(n), p.Name, state)
		}
		out <- prometheus.MustNewConstMetric(c.waits, prometheus.CounterValue, float64(p.Waits), p.Name)
		out <- prometheus.MustNewConstMetric(c.waited, prometheus.CounterValue, p.Waited.Seconds(), p.Name)
	}
}

func (c *storageCollector) current() (Lag, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read.IsZero() || time.Since(c.read) >= lagAge {
		ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
		defer cancel()
		c.lag, c.err = c.storage.Lag(ctx)
		if c.err == nil {
			c.partitions, c.err = c.storage.PartitionsUntil(ctx)
		}
		c.read = time.Now()
	}
	return c.lag, c.partitions, c.err
}
