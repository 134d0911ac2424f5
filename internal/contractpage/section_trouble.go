package contractpage

import (
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// trouble is what happens to an endpoint that fails for long, and how it comes
// back.
func (c *composer) trouble() section {
	blocks := []block{c.subheading("pauses", "trouble.pauses"), c.pauses()}
	if items := c.slowing(); items != nil {
		restore := args{"n": c.count(float64(c.p.Circuit.SlowDown.RestoreAfter)), "limit": c.count(float64(c.inFlight()))}
		blocks = append(blocks, c.subheading("slowing-down", "trouble.slow"), c.paragraph(nil, "slow.intro"),
			block{Items: items}, c.paragraph(restore, "slow.effect"))
	}
	blocks = append(blocks, c.subheading("disabling", "trouble.disable"))
	blocks = append(blocks, c.disabling()...)
	blocks = append(blocks, c.subheading("coming-back", "trouble.back"), c.paragraph(nil, "back.intro"), block{Items: c.comingBack()})
	return c.section("trouble", blocks...)
}

func (c *composer) pauses() block {
	s := c.p.Circuit
	if s.Kind == circuit.None || s.Kind == "" {
		return c.paragraph(nil, "pauses.none")
	}
	given := args{
		"failures": c.count(float64(s.Failures)), "limit": c.count(float64(c.inFlight())),
		"list": {phrase: c.pauseList()}, "age": c.duration(c.p.GiveUp.Age),
	}
	keys := []string{"pauses.after", "pauses." + string(s.Kind), "pauses.attempts"}
	if c.p.GiveUp.Age > 0 {
		keys = append(keys, "pauses.age")
	}
	return c.paragraph(given, keys...)
}

// shownPauses is how many pauses are listed, but for the longest.
const shownPauses = 4

// pauseList has the circuit itself pause an endpoint whose trials all fail.
func (c *composer) pauseList() phrase {
	s, now := c.p.Circuit, start
	s.Disable, s.SlowDown = circuit.Disable{}, circuit.SlowDown{}
	var state circuit.State
	var list []phrase
	key := "pauses.listed"
	for pause := time.Duration(0); pause < s.MaxPause; {
		state, _ = circuit.Next(s, state, circuit.Result{Failure: true, ClaimedAt: now, At: now}, c.p.MaxInFlight)
		if !state.PausedUntil.After(now) {
			continue // not enough failures yet
		}
		pause = state.PausedUntil.Sub(now)
		if len(list) == shownPauses && pause < s.MaxPause {
			key = "pauses.growing"
			break
		}
		list, now = append(list, c.duration(pause).phrase), state.PausedUntil
	}
	if len(list) == 1 {
		key = "pauses.same"
	}
	return c.say(key, args{"list": {phrase: c.list(list, c.comma)}, "max": c.duration(s.MaxPause)})
}

// slowing lists what halves an endpoint's limit.
func (c *composer) slowing() []phrase {
	s := c.p.Circuit.SlowDown
	if s.RestoreAfter == 0 {
		return nil
	}
	var items []phrase
	if marked := c.outcomes(func(v verdict) bool { return v.slows }); marked != nil {
		items = append(items, c.say("slow.outcomes", args{"outcomes": {phrase: marked}}))
	}
	if s.InARow > 0 {
		items = append(items, c.say("slow.slow", args{"n": c.count(float64(s.InARow)), "limit": c.duration(s.SlowerThan)}))
	}
	return items
}

func (c *composer) disabling() []block {
	d := c.p.Circuit.Disable
	given := args{
		"failures": c.count(float64(d.Failures)), "after": c.duration(d.After), "attempts": c.count(float64(d.MinAttempts)),
	}
	var items []phrase
	if d.Failures > 0 {
		items = append(items, c.say("disable.failures", given))
	}
	switch {
	case d.After > 0 && d.MinAttempts > 1:
		items = append(items, c.say("disable.after.attempts", given))
	case d.After > 0:
		items = append(items, c.say("disable.after", given))
	}
	if marked := c.outcomes(func(v verdict) bool { return v.disables }); marked != nil {
		items = append(items, c.say("disable.outcomes", args{"outcomes": {phrase: marked}}))
	}
	if items == nil {
		return []block{c.paragraph(nil, "disable.never", "disable.by_hand")}
	}
	blocks := []block{c.paragraph(nil, "disable.intro"), {Items: items}}
	if len(d.Warn) > 0 {
		blocks = append(blocks, c.paragraph(args{"list": {phrase: c.warnings(d.Warn)}}, "disable.warn"))
	}
	return append(blocks, c.paragraph(nil, "disable.means", c.disabledEvents(), "disable.by_hand"))
}

// disabledEvents is what becomes of events that a disabled endpoint would get.
func (c *composer) disabledEvents() string {
	if c.p.RecordsSkip(delivery.EndpointDisabled) {
		return "disable.events.skipped"
	}
	return "disable.events.unrecorded"
}

func (c *composer) warnings(after []time.Duration) phrase {
	var parts []phrase
	for _, d := range after {
		parts = append(parts, c.say("disable.warn.each", args{"after": c.duration(d)}))
	}
	return c.list(parts, c.and)
}

func (c *composer) comingBack() []phrase {
	enable := "back.enable"
	if c.p.ReplayOnEnable {
		enable = "back.enable.replays"
	}
	var states []string
	for _, state := range delivery.States {
		if slices.Contains(c.p.Redeliver, state) {
			states = append(states, string(state))
		}
	}
	given := args{"states": c.alternatives(states), "n": c.count(float64(len(states))), "limit": c.count(float64(c.inFlight()))}
	items := []phrase{c.say(enable, nil)}
	if len(states) > 0 {
		items = append(items, c.say("back.replay", given))
	}
	period := "back.recover.dead"
	if c.p.RecordsSkip(delivery.EndpointDisabled) {
		period = "back.recover.skipped"
	}
	return append(items, c.say(period, nil), c.say("back.pace", given))
}
