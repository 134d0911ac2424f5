package simulate

import "time"

// never is later than anything that is simulated: the database's infinity.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// timeline is a time that jumps from one thing that happens to the next. What
// happens at the same instant, happens in the order in which it was planned.
type timeline struct {
	now     time.Time
	planned heap[happening]
	serial  int
}

type happening struct {
	at     time.Time
	serial int
	do     func()
}

func newTimeline(start time.Time) timeline {
	return timeline{now: start, planned: heap[happening]{before: func(a, b happening) bool {
		if c := a.at.Compare(b.at); c != 0 {
			return c < 0
		}
		return a.serial < b.serial
	}}}
}

// at plans something. What should have happened already, happens next.
func (t *timeline) at(when time.Time, do func()) {
	t.serial++
	t.planned.push(happening{at: when, serial: t.serial, do: do})
}

// checkEvery is how many things happen between two looks at whether to go on.
const checkEvery = 1 << 12

// run lets everything happen that is planned and will be, unless goOn says no:
// then it returns false.
func (t *timeline) run(goOn func() bool) bool {
	for n := 1; t.planned.len() > 0; n++ {
		if n%checkEvery == 0 && !goOn() {
			return false
		}
		next := t.planned.pop()
		if next.at.After(t.now) {
			t.now = next.at
		}
		next.do()
	}
	return true
}
