package simulate

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// System is a way to share workers out among destinations.
type System string

// The systems that an incident is played through.
const (
	// OneQueue is a single first-in-first-out queue for all destinations, whose
	// workers wait up to 30 seconds for an answer.
	OneQueue System = "one_queue"
	// Lanes is Malote under the fair-queue contract: a lane per destination with
	// four in flight and five seconds for an answer, and half of the slots for
	// those who answer in good time.
	Lanes System = "lanes"
	// LanesWithoutQuota is the same without keeping slots for anybody.
	LanesWithoutQuota System = "lanes_without_quota"
)

// Incident is some destinations becoming slow among many that are not. All
// numbers are above zero but for SlowFrom, which may be zero; SlowDestinations is
// less than Destinations, and SlowFrom < SlowUntil <= Duration.
type Incident struct {
	Destinations     int
	SlowDestinations int // of them
	Workers          int // slots of the one process that there is

	Rate     float64 // events a second for all the healthy destinations together
	SlowRate float64 // events a second for each of the slow ones

	Answer     time.Duration // the median of a healthy answer
	SlowAnswer time.Duration // what it takes between SlowFrom and SlowUntil

	Duration            time.Duration // of publishing; what is left then is still delivered
	SlowFrom, SlowUntil time.Duration // from the beginning
	Seed                uint64
}

// Events is how many events there will be, about.
func (i Incident) Events() float64 {
	return (i.Rate + i.SlowRate*float64(i.SlowDestinations)) * i.Duration.Seconds()
}

// began is when the incident's time begins: any instant would do.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// arrival is an event, the same in every system.
type arrival struct {
	at          time.Duration
	destination int           // the first SlowDestinations are the slow ones
	takes       time.Duration // to answer it, while well
}

// answerSpread is the deviation of the logarithm of answers: with a median of
// 80 ms one in a hundred takes over 180 ms.
const answerSpread = 0.35

// arrivals are random: the times between them are exponential, healthy
// destinations are equally likely, answers are log-normal.
func (i Incident) arrivals() []arrival {
	random := rand.New(rand.NewPCG(i.Seed, 1))
	slow := i.SlowRate * float64(i.SlowDestinations)
	var all []arrival
	for at := time.Duration(0); ; {
		at += time.Duration(random.ExpFloat64() / (i.Rate + slow) * float64(time.Second))
		if at >= i.Duration {
			return all
		}
		a := arrival{at: at, takes: time.Duration(float64(i.Answer) * math.Exp(answerSpread*random.NormFloat64()))}
		if random.Float64()*(i.Rate+slow) < slow {
			a.destination = random.IntN(i.SlowDestinations)
		} else {
			a.destination = i.SlowDestinations + random.IntN(i.Destinations-i.SlowDestinations)
		}
		all = append(all, a)
	}
}

// Run plays the incident through a system, until everything is delivered or
// given up. goOn is asked now and then; when it says no, ok is false.
func (i Incident) Run(system System, goOn func() bool) (result Result, ok bool) {
	run := &incidentRun{Incident: i, arrivals: i.arrivals()}
	run.measure = newMeasure(i, run.arrivals)
	run.platform = newPlatform(began, rand.New(rand.NewPCG(i.Seed, 2)).Float64, run)
	workers := newProcess(i.Workers)
	if system != Lanes {
		workers.suspects, workers.slow = workers.slots, workers.slots
	}
	run.platform.processes = []*process{workers}
	run.lanes = make([]*lane, i.Destinations)
	shared := newLane(&delivery.Endpoint{MaxInFlight: i.Workers}, oneQueue(), run.answer)
	for destination := range run.lanes {
		run.lanes[destination] = shared
		if system != OneQueue {
			run.lanes[destination] = newLane(&delivery.Endpoint{}, fairQueue(), run.answer)
		}
		run.lanes[destination].standing = delivery.Trusted // all have been there for long, and answered
	}
	run.publishNext()
	run.measure.sampleUntil(run.platform, i.Duration)
	if !run.platform.run(goOn) {
		return Result{}, false
	}
	return run.measure.result(system), true
}

// incidentRun is an incident on its way through one system.
type incidentRun struct {
	Incident
	arrivals []arrival
	platform *platform
	lanes    []*lane // by destination
	measure  *measure
}

// publishNext plans the next arrival, and after it the one that follows.
func (r *incidentRun) publishNext() {
	n := r.platform.accepted
	if n == len(r.arrivals) {
		return
	}
	r.platform.at(began.Add(r.arrivals[n].at), func() {
		r.measure.published(n)
		r.platform.publish(r.lanes[r.arrivals[n].destination])
		r.publishNext()
	})
}

// answer is what a destination does.
func (r *incidentRun) answer(d *Delivery, at time.Time) delivery.Outcome {
	a, since := r.arrivals[d.Number], at.Sub(began)
	if a.destination < r.SlowDestinations && since >= r.SlowFrom && since < r.SlowUntil {
		return delivery.Outcome{Status: 200, Duration: r.SlowAnswer}
	}
	return delivery.Outcome{Status: 200, Duration: a.takes}
}

func (r *incidentRun) began(a *Attempt)           { r.measure.began(a) }
func (r *incidentRun) ended(a *Attempt)           { r.measure.ended(a) }
func (r *incidentRun) signalled([]circuit.Signal) {}

func fairQueue() *policy.Policy {
	p, _ := policy.Preset("fair-queue")
	return p
}

// oneQueueSource is what a queue of one's own usually comes to: patient with
// every answer, and a few retries in the same queue.
const oneQueueSource = `
name: one-queue
deadline: 30s
schedule:
  kind: table
  waits: [1m, 5m, 30m]
  then: end
  jitter: {kind: percent, percent: 20}
give_up: {attempts: 4}
circuit: {kind: none}
`

func oneQueue() *policy.Policy {
	p, err := policy.Parse([]byte(oneQueueSource))
	if err != nil {
		panic("simulate: the policy of the one queue: " + err.Error()) // of this very build
	}
	return p
}
