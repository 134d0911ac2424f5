package policy

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longest bounds every duration of a policy, far from overflow.
const longest = 366 * 24 * time.Hour

// text is a field's value, or the fallback if it is not given.
func (s *section) text(name, fallback string) string {
	e, given := s.entries[name]
	if !given {
		return fallback
	}
	value, ok := scalar(e.node)
	if !ok {
		s.refuse(e.at, e.field, "must be one value, not empty, a list or a section")
	}
	return value
}

// duration is a length of time such as 30s; not negative, at most a year.
func (s *section) duration(name string, fallback time.Duration) time.Duration {
	e, given := s.entries[name]
	if !given {
		return fallback
	}
	return s.readDuration(e)
}

func (s *section) durations(name string) []time.Duration {
	var read []time.Duration
	for _, element := range s.list(name) {
		read = append(read, s.readDuration(element))
	}
	return read
}

func (r *reader) readDuration(e entry) time.Duration {
	value, ok := scalar(e.node)
	read, err := time.ParseDuration(value)
	switch {
	case !ok || err != nil:
		r.refuse(e.at, e.field, "must be a duration such as 30s, 5m or 72h")
	case read < 0 || read > longest:
		r.refuse(e.at, e.field, "must be between 0s and %s", short(longest))
	}
	return read
}

// count is a whole number from 1 to most.
func (s *section) count(name string, fallback, most int) int {
	const least = 1
	if !s.has(name) {
		return fallback
	}
	read, err := strconv.Atoi(s.text(name, ""))
	if err != nil || read < least || read > most {
		s.complain(name, "must be a whole number from %d to %d", least, most)
	}
	return read
}

// number is greater than 0, perhaps a fraction, and at most the given one.
func (s *section) number(name string, fallback, most float64) float64 {
	if !s.has(name) {
		return fallback
	}
	read, err := strconv.ParseFloat(s.text(name, ""), 64)
	if err != nil || math.IsNaN(read) || read <= 0 || read > most {
		s.complain(name, "must be a number above 0, at most %v", most)
	}
	return read
}

// size is a number of bytes such as 0, 512 or 64KiB, at most 1MiB.
func (s *section) size(name string, fallback int) int {
	if !s.has(name) {
		return fallback
	}
	digits, unit := s.text(name, ""), 1
	if kilo, ok := strings.CutSuffix(digits, "KiB"); ok {
		digits, unit = kilo, 1<<10
	} else if mega, ok := strings.CutSuffix(digits, "MiB"); ok {
		digits, unit = mega, 1<<20
	}
	read, err := strconv.Atoi(digits)
	if err != nil || read < 0 || read > 1<<20/unit {
		s.complain(name, "must be a size from 0 to 1MiB, such as 0, 512 or 64KiB")
		return fallback
	}
	return read * unit
}

func (s *section) flag(name string) bool {
	switch s.text(name, "false") {
	case "true":
		return true
	case "false":
	default:
		s.complain(name, "must be true or false")
	}
	return false
}

// choice is one of the allowed words.
func choice[T ~string](s *section, name string, fallback T, allowed ...T) T {
	read := T(s.text(name, string(fallback)))
	if !slices.Contains(allowed, read) {
		s.complain(name, "must be one of %s", listed(allowed))
	}
	return read
}

// choices is a list of the allowed words, each at most once.
func choices[T ~string](s *section, name string, fallback []T, allowed ...T) []T {
	if !s.has(name) {
		return fallback
	}
	read := []T{}
	for _, element := range s.list(name) {
		word, _ := scalar(element.node)
		switch {
		case !slices.Contains(allowed, T(word)):
			s.refuse(element.at, element.field, "must be one of %s", listed(allowed))
		case slices.Contains(read, T(word)):
			s.refuse(element.at, element.field, "is given twice")
		}
		read = append(read, T(word))
	}
	return read
}

func listed[T ~string](words []T) string {
	shown := make([]string, len(words))
	for i, word := range words {
		shown[i] = string(word)
	}
	return strings.Join(shown, ", ")
}

// short shows a duration without the zeros of its tail: 72h, not 72h0m0s.
func short(d time.Duration) string {
	shown := d.String()
	if strings.HasSuffix(shown, "m0s") {
		shown = strings.TrimSuffix(shown, "0s")
	}
	if strings.HasSuffix(shown, "h0m") {
		shown = strings.TrimSuffix(shown, "0m")
	}
	return shown
}
