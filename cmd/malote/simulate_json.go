package main

import (
	"time"

	"github.com/malotehq/malote/internal/simulate"
)

// incidentView is a simulated incident in JSON.
type incidentView struct {
	Incident incidentSettings `json:"incident"`
	Systems  []systemView     `json:"systems"`
}

type incidentSettings struct {
	Destinations     int     `json:"destinations"`
	SlowDestinations int     `json:"slow_destinations"`
	Workers          int     `json:"workers"`
	Rate             float64 `json:"rate"`
	SlowRate         float64 `json:"slow_rate"`
	AnswerMS         float64 `json:"answer_ms"`
	SlowAnswerMS     float64 `json:"slow_answer_ms"`
	SlowFromSeconds  float64 `json:"slow_from_s"`
	SlowUntilSeconds float64 `json:"slow_until_s"`
	DurationSeconds  float64 `json:"duration_s"`
	Seed             uint64  `json:"seed"`
}

type systemView struct {
	System  simulate.System `json:"system"`
	Healthy groupView       `json:"healthy"`
	Slow    groupView       `json:"slow"`
	Samples []sampleView    `json:"samples"` // about the healthy ones
}

type groupView struct {
	Before            latencyView `json:"before"`
	While             latencyView `json:"while"`
	After             latencyView `json:"after"`
	Attempts          int         `json:"attempts"`
	TimedOut          int         `json:"timed_out"`
	Dead              int         `json:"dead"`
	MostWaiting       int         `json:"most_waiting"`
	OldestSeconds     float64     `json:"oldest_s"`
	LastClosedSeconds float64     `json:"last_closed_s"`
}

type latencyView struct {
	Published       int     `json:"published"`
	Delivered       int     `json:"delivered"`
	DeliveredInTime int     `json:"delivered_in_time"`
	P50MS           float64 `json:"p50_ms"`
	P95MS           float64 `json:"p95_ms"`
	P99MS           float64 `json:"p99_ms"`
	MaxMS           float64 `json:"max_ms"`
}

type sampleView struct {
	UntilSeconds  float64 `json:"until_s"`
	P50MS         float64 `json:"p50_ms"`
	P99MS         float64 `json:"p99_ms"`
	Waiting       int     `json:"waiting"`
	OldestSeconds float64 `json:"oldest_s"`
}

func incidentViewOf(i simulate.Incident, results []simulate.Result) incidentView {
	view := incidentView{Incident: incidentSettings{
		Destinations: i.Destinations, SlowDestinations: i.SlowDestinations, Workers: i.Workers,
		Rate: i.Rate, SlowRate: i.SlowRate, AnswerMS: millis(i.Answer), SlowAnswerMS: millis(i.SlowAnswer),
		SlowFromSeconds: i.SlowFrom.Seconds(), SlowUntilSeconds: i.SlowUntil.Seconds(),
		DurationSeconds: i.Duration.Seconds(), Seed: i.Seed,
	}}
	for _, r := range results {
		system := systemView{System: r.System, Healthy: groupViewOf(r.Healthy), Slow: groupViewOf(r.Slow)}
		for _, s := range r.Samples {
			system.Samples = append(system.Samples, sampleView{
				UntilSeconds: s.Until.Seconds(), P50MS: millis(s.P50), P99MS: millis(s.P99),
				Waiting: s.Waiting, OldestSeconds: s.Oldest.Seconds(),
			})
		}
		view.Systems = append(view.Systems, system)
	}
	return view
}

func groupViewOf(g simulate.Group) groupView {
	return groupView{
		Before: latencyViewOf(g.Before), While: latencyViewOf(g.During), After: latencyViewOf(g.After),
		Attempts: g.Attempts, TimedOut: g.TimedOut, Dead: g.Dead, MostWaiting: g.MostWaiting,
		OldestSeconds: g.Oldest.Seconds(), LastClosedSeconds: g.DrainedAt.Seconds(),
	}
}

func latencyViewOf(l simulate.Latency) latencyView {
	return latencyView{
		Published: l.Published, Delivered: l.Delivered, DeliveredInTime: l.InTime,
		P50MS: millis(l.P50), P95MS: millis(l.P95), P99MS: millis(l.P99), MaxMS: millis(l.Max),
	}
}

// millis is a time in milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
