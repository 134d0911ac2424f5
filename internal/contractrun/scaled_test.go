package contractrun

import (
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

// scale says by how much a preset's times are divided; zero: they stay. One
// number for all would not do. Under load an attempt takes as long as ever, so
// that ages and days, divided like the waits, would pass meanwhile. Circuits
// pause for a second at least, by the policies' language. The others wait for
// what a test can bear.
//
// Deadlines are cut to the shortest of them all, which a busy machine still keeps
// for an answer; what counts as slow, to a part of it.
// Leases stay: they last longer than ten seconds in any policy.
type scale struct {
	schedule   time.Duration // waits, base, cap, first_delay, minimum_wait
	retryAfter time.Duration
	age        time.Duration
	circuit    time.Duration
	disable    time.Duration // after, warn_after
}

const (
	scaledDeadline = 5 * time.Second
	scaledSlow     = time.Second
)

// scaled is a preset's text with shorter times and another name.
func (s scale) scaled(t *testing.T, preset, name string) string {
	t.Helper()
	source, known := policy.PresetSource(preset)
	require.True(t, known, preset)
	var tree any
	// In order: an envelope's members have one.
	require.NoError(t, yaml.UnmarshalWithOptions(source, &tree, yaml.UseOrderedMap()))
	tree = s.shrink("", tree)
	for i, item := range tree.(yaml.MapSlice) {
		if item.Key == "name" {
			tree.(yaml.MapSlice)[i].Value = name
		}
	}
	text, err := yaml.Marshal(tree)
	require.NoError(t, err)
	return string(text)
}

func (s scale) shrink(path string, value any) any {
	switch v := value.(type) {
	case yaml.MapSlice:
		for i, item := range v {
			v[i].Value = s.shrink(strings.TrimPrefix(path+"."+item.Key.(string), "."), item.Value)
		}
	case []any:
		for i, element := range v {
			v[i] = s.shrink(path, element)
		}
	case string:
		if d, err := time.ParseDuration(v); err == nil {
			return s.shorter(path, d).String()
		}
	}
	return value
}

func (s scale) shorter(path string, d time.Duration) time.Duration {
	divisor := time.Duration(0)
	switch path {
	case "deadline":
		return min(d, scaledDeadline)
	case "slow_down.slower_than":
		return min(d, scaledSlow)
	case "schedule.waits", "schedule.base", "schedule.cap", "schedule.first_delay", "schedule.minimum_wait":
		divisor = s.schedule
	case "retry_after.cap":
		divisor = s.retryAfter
	case "give_up.age":
		divisor = s.age
	case "circuit.pause", "circuit.max_pause":
		divisor = s.circuit
	case "disable_endpoint.after", "disable_endpoint.warn_after":
		divisor = s.disable
	}
	return d / max(divisor, 1)
}

// publishPolicy publishes a scaled preset, as any user may, and gives its name.
func (m *malote) publishPolicy(preset, suffix string, s scale) (name string) {
	m.t.Helper()
	name = preset + "-" + suffix
	m.must(201, "POST", "/v1/policies", map[string]any{"yaml": s.scaled(m.t, preset, name)}, nil)
	return name
}

// What is scaled is the contract in all but its times.
func TestScale_ChangesTimesAlone(t *testing.T) {
	t.Parallel()
	divided := scale{schedule: 1000, retryAfter: 1000, age: 100, circuit: 30, disable: 100}
	for _, name := range policy.PresetNames() {
		preset, _ := policy.Preset(name)
		got, err := policy.Parse([]byte(divided.scaled(t, name, "other")))
		require.NoError(t, err, name)
		require.LessOrEqual(t, got.Deadline, preset.Deadline)
		require.Less(t, got.Schedule.Wait(1), preset.Schedule.Wait(1))
		require.Equal(t, preset.GiveUp.Age, 100*got.GiveUp.Age)
		require.Equal(t, preset.RetryAfter.Cap, 1000*got.RetryAfter.Cap)
		require.Equal(t, preset.Circuit.Disable.After, 100*got.Circuit.Disable.After)

		want := *preset
		want.Name, want.Deadline = "other", got.Deadline
		want.Schedule.Waits, want.Schedule.Base, want.Schedule.Cap = got.Schedule.Waits, got.Schedule.Base, got.Schedule.Cap
		want.Schedule.MinimumWait, want.RetryAfter.Cap, want.GiveUp.Age = got.Schedule.MinimumWait, got.RetryAfter.Cap, got.GiveUp.Age
		want.Circuit.Pause, want.Circuit.MaxPause = got.Circuit.Pause, got.Circuit.MaxPause
		want.Circuit.SlowDown.SlowerThan = got.Circuit.SlowDown.SlowerThan
		want.Circuit.Disable.After, want.Circuit.Disable.Warn = got.Circuit.Disable.After, got.Circuit.Disable.Warn
		require.Equal(t, &want, got, name)
	}
}
