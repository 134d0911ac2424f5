package report

import "time"

// Report is all that one run of malote bench found. Scenarios that did not run are
// nil. Times are in milliseconds, rates a second, sizes in bytes.
type Report struct {
	StartedAt time.Time `json:"started_at"`
	Malote    Build     `json:"malote"`
	Machine   Machine   `json:"machine"`
	Database  Database  `json:"database"`
	Settings  Settings  `json:"settings"`

	Throughput []Throughput `json:"throughput,omitempty"`
	Limits     *Limits      `json:"limits,omitempty"`
	Latency    []Latency    `json:"latency,omitempty"`
	Isolation  []Isolation  `json:"isolation,omitempty"`
	Scale      []Scale      `json:"scale,omitempty"`
	Ingest     []Ingest     `json:"ingest,omitempty"`
	RetryStorm []RetryStorm `json:"retry_storm,omitempty"`
	Memory     []Memory     `json:"memory,omitempty"`

	// Broken are scenarios that could not be measured, and why.
	Broken []Broken `json:"broken,omitempty"`
}

// Broken is a scenario that ended with an error.
type Broken struct {
	Scenario string `json:"scenario"`
	Error    string `json:"error"`
}

// Build is the program that was measured.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified"` // it has changes that no commit has
	Go       string `json:"go"`
}

// Machine is what everything ran on: the load and the receivers, too.
type Machine struct {
	CPU     string  `json:"cpu"`
	Cores   int     `json:"cores"`
	Memory  int64   `json:"memory_bytes"`
	System  string  `json:"system"`
	Load    float64 `json:"load_average_before"` // of the minute before the run
	Private bool    `json:"private_database"`    // the database was started for it, on the same machine
}

// Setting is one of the database's.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Database is the PostgreSQL that everything was kept in.
type Database struct {
	Version  string    `json:"version"`
	Settings []Setting `json:"settings"`
}

// Durable says whether what is committed survives a power failure.
func (d Database) Durable() bool {
	durable := 0
	for _, s := range d.Settings {
		if (s.Name == "fsync" || s.Name == "synchronous_commit") && s.Value == "on" {
			durable++
		}
	}
	return durable == 2
}

// Settings of the run.
type Settings struct {
	WarmUpSeconds      float64 `json:"warm_up_seconds"`
	DurationSeconds    float64 `json:"duration_seconds"`
	Runs               int     `json:"runs"`
	MaxInFlight        int     `json:"max_in_flight"`         // of a process
	DefaultMaxInFlight int     `json:"default_max_in_flight"` // of malote serve
	Full               bool    `json:"full"`
}

// System names what was measured: Malote, or a peer by the name it was given.
type System string

// Malote is the system that all others are compared with.
const Malote System = "malote"

// Throughput is the median run of a case: the one whose delivered rate is.
type Throughput struct {
	System      System  `json:"system"`
	Publishers  int     `json:"publishers"`
	Endpoints   int     `json:"endpoints"`
	MaxInFlight int     `json:"endpoint_max_in_flight,omitempty"` // of each endpoint; 0: its policy's
	Published   float64 `json:"published_per_second"`
	Delivered   float64 `json:"delivered_per_second"`
	Backlog     int64   `json:"backlog_at_the_end"` // accepted and not received
	Failed      int64   `json:"failed_publishes"`

	// Of each delivered event.
	WALPerEvent float64 `json:"wal_bytes_per_event"`
	Commits     float64 `json:"commits_per_event"`
	Rows        float64 `json:"rows_written_per_event"`
	ServerTime  float64 `json:"server_us_per_event"`               // processor time of Malote, or the peer
	Postgres    float64 `json:"postgresql_us_per_event,omitempty"` // 0: not on this machine
	LoadTime    float64 `json:"load_us_per_event"`                 // of publishers and receivers together

	RSSMost   int64     `json:"rss_bytes_at_most"`
	AllRuns   []float64 `json:"delivered_per_second_of_all_runs"`
	FirstFail string    `json:"first_failure,omitempty"`
}

// Limits is what this machine does at most when nothing is between.
type Limits struct {
	Requests float64 `json:"bare_requests_per_second"` // loopback POSTs, answered at once
	Cycles   float64 `json:"bare_cycles_per_second"`   // of PostgreSQL, Batch a transaction
	Both     float64 `json:"both_per_second"`          // every event posted in, cycled and posted out
	Batch    int     `json:"batch"`
}

// Quantiles of times from the beginning of a publish to its receipt, in
// milliseconds.
type Quantiles struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Most  float64 `json:"max_ms"`
	// P99OfTenths is the median of the p99s of ten equal parts of the time: a moment in
	// which the whole machine stood still is in one of them only.
	P99OfTenths float64 `json:"p99_of_tenths_ms"`
	// Missing were accepted, and had not come half a minute after the last publish.
	Missing int64 `json:"missing"`
}

// Latency at a gentle rate.
type Latency struct {
	Processes string  `json:"processes"`
	Rate      float64 `json:"published_per_second"`
	Failed    int64   `json:"failed_publishes"`
	Quantiles
}

// Isolation is what the healthy endpoints feel of one that hangs.
type Isolation struct {
	Endpoints   int       `json:"endpoints"`
	MaxInFlight int       `json:"max_in_flight"`        // of the process
	Known       bool      `json:"healthy_known_before"` // every healthy endpoint had answered before
	HangSeconds float64   `json:"hang_seconds"`
	HangingRate float64   `json:"published_per_second_to_the_hanging"`
	HealthyRate float64   `json:"published_per_second_to_the_healthy"`
	Before      Quantiles `json:"healthy_before"`
	During      Quantiles `json:"healthy_during"`
	Hung        int64     `json:"requests_that_hung"`
	Failed      int64     `json:"failed_publishes"`
}

// Scale is what a claim costs over endpoints and open deliveries.
type Scale struct {
	Endpoints int     `json:"endpoints"`
	Backlog   int     `json:"backlog_of_one"` // besides three that are due of every endpoint
	Batch     int     `json:"claimed_at_once"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	Calls     int     `json:"calls"`
}

// Ingest is what comes through the inbound door.
type Ingest struct {
	Senders     int     `json:"senders"`
	Accepted    float64 `json:"accepted_per_second"` // verified, deduplicated and committed
	Duplicates  float64 `json:"duplicates_per_second"`
	Failed      int64   `json:"failed"`
	P50         float64 `json:"answer_p50_ms"`
	P99         float64 `json:"answer_p99_ms"`
	WALPerEvent float64 `json:"wal_bytes_per_event"`
	Commits     float64 `json:"commits_per_event"`
	ServerTime  float64 `json:"server_us_per_event"`
	RSSMost     int64   `json:"rss_bytes_at_most"`
	FirstFail   string  `json:"first_failure,omitempty"`
}

// RetryStorm is what an endpoint's outage and return come to.
type RetryStorm struct {
	OutageSeconds float64   `json:"outage_seconds"`
	StormRate     float64   `json:"published_per_second_to_the_failing"`
	HealthyRate   float64   `json:"published_per_second_to_the_healthy"`
	Backlog       int64     `json:"backlog_at_recovery"`
	Drained       bool      `json:"drained"`
	DrainSeconds  float64   `json:"drain_seconds"`
	Refused       int64     `json:"requests_refused"`
	Before        Quantiles `json:"healthy_before"`
	Outage        Quantiles `json:"healthy_during_outage"`
	Draining      Quantiles `json:"healthy_while_draining"`
	Failed        int64     `json:"failed_publishes"`
}

// Memory is the most that a process of Malote's was resident with.
type Memory struct {
	Scenario string `json:"scenario"`
	Backlog  int64  `json:"backlog,omitempty"`
	RSSMost  int64  `json:"rss_bytes_at_most"`
}
