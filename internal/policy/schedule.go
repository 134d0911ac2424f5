package policy

import "time"

// Never stands for the time of an attempt that is not made.
const Never time.Duration = -1

// mostInstants bounds the table; Parse refuses policies that would need more.
const mostInstants = 1000

// Instant is one row of a policy's timetable, for a delivery that fails every
// time at once and is asked for no Retry-After. Times count from the first
// attempt; Never: with that jitter there is no such attempt.
type Instant struct {
	Attempt int
	Wait    time.Duration // before this attempt, without jitter

	Without time.Duration // no jitter at all
	Least   time.Duration // every wait as short as jitter can make it
	Most    time.Duration // every wait as long as jitter can make it
}

// Schedule is the policy's timetable, computed by the code that decides.
func Schedule(p *Policy) []Instant {
	plain := *p
	plain.Schedule.Jitter = Jitter{Kind: NoJitter}
	without := instants(&plain, 0)
	least, most := instants(p, 0), instants(p, nearlyOne)

	table := make([]Instant, max(len(without), len(least), len(most)))
	for i := range table {
		table[i] = Instant{Attempt: i + 1, Without: at(without, i), Least: at(least, i), Most: at(most, i)}
		if i > 0 {
			table[i].Wait = p.Schedule.Wait(i)
		}
	}
	return table
}

// Attempts is how few and how many attempts the timetable has, depending on
// the jitter.
func Attempts(timetable []Instant) (fewest, most int) {
	for _, row := range timetable {
		if row.Least != Never {
			most = row.Attempt
		}
		if row.Most != Never {
			fewest = row.Attempt
		}
	}
	return min(fewest, most), max(fewest, most)
}

// nearlyOne is the largest number that Random can give.
const nearlyOne = 1 - 1.0/(1<<53)

// instants lets every attempt fail in no time and notes when each is made.
func instants(p *Policy, u float64) []time.Duration {
	start, delay := time.Unix(0, 0), time.Duration(0)
	if p.GiveUp.AgeFrom == FromAccepted {
		delay = p.Schedule.FirstDelay
	}
	now, offsets := start, []time.Duration{0}
	for n := 1; n < mostInstants; n++ {
		if most := p.MostAttempts(); most > 0 && n >= most {
			break
		}
		due, _ := p.next(n, now, now, 0, func() float64 { return u })
		if p.GiveUp.Age > 0 && due.Sub(start)+delay > p.GiveUp.Age {
			break
		}
		now = due
		offsets = append(offsets, due.Sub(start))
	}
	return offsets
}

func at(offsets []time.Duration, i int) time.Duration {
	if i < len(offsets) {
		return offsets[i]
	}
	return Never
}
