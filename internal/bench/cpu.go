package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of /proc's times: USER_HZ, which Linux fixes at 100.
const clockTick = 10 * time.Millisecond

// stat is what /proc/PID/stat says of a process.
type stat struct {
	parent int
	used   time.Duration // of processors, by it and by children that it has waited for
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, fmt.Errorf("reading a process's time: %w", err)
	}
	// The name in brackets may hold anything.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 15 {
		return stat{}, fmt.Errorf("reading a process's time: %d fields", len(fields))
	}
	var s stat
	s.parent, err = strconv.Atoi(fields[1])
	for _, field := range fields[11:15] {
		ticks, _ := strconv.ParseInt(field, 10, 64)
		s.used += time.Duration(ticks) * clockTick
	}
	return s, err
}

// usedBy is the processor time that a process and its children used so far.
func usedBy(pid int) (time.Duration, error) {
	own, err := readStat(pid)
	if err != nil {
		return 0, err
	}
	total := own.used
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		child, err := strconv.Atoi(filepath.Base(entry))
		if err != nil {
			continue
		}
		if s, err := readStat(child); err == nil && s.parent == pid { // others may have ended
			total += s.used
		}
	}
	return total, nil
}
