package ui

import (
	"strings"
	"time"
)

// StateTone is how a delivery's state is coloured.
func StateTone(state string) Tone {
	switch state {
	case "delivered", "resolved":
		return Good
	case "sending", "pending":
		return Busy
	case "dead":
		return Bad
	default:
		return Muted
	}
}

func statusTone(status string) Tone {
	switch status {
	case "active":
		return Good
	case "paused":
		return Warn
	case "disabled_by_system":
		return Bad
	default:
		return Muted
	}
}

// shortID leaves out the middle of an id: its kind and beginning say what and
// when, its end tells it from others of that time.
func shortID(id string) string {
	prefix, suffix, found := strings.Cut(id, "_")
	if !found || len(suffix) < 20 {
		return id
	}
	return prefix + "_" + suffix[:6] + "…" + suffix[len(suffix)-6:]
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// utc is for people; the milliseconds tell attempts apart.
func utc(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.000 UTC") }

// StateIcon is a delivery's state as an icon's name.
func StateIcon(state string) string { return stateIcons[state] }
