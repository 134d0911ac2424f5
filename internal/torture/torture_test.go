//go:build linux

package torture_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/torture"
)

// What a longer run is told by its environment; make torture sets it.
const (
	binaryVariable   = "MALOTE_TORTURE_BIN"    // malote; made if left out
	skewedVariable   = "MALOTE_TORTURE_SKEWED" // malote whose clock can be set wrong
	seedVariable     = "MALOTE_TORTURE_SEED"   // one seed, to see a run again
	seedsVariable    = "MALOTE_TORTURE_SEEDS"  // how many random ones
	durationVariable = "MALOTE_TORTURE_DURATION"
	kindsVariable    = "MALOTE_TORTURE_KINDS" // only these, separated by commas
)

// What the suite has time for. The seed's schedule has a pause beyond the lease.
const (
	shortDuration = 8 * time.Second
	fixedSeed     = 2
)

func progress(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
}

// malote is the program under test.
func malote(t *testing.T) string {
	t.Helper()
	if given := os.Getenv(binaryVariable); given != "" {
		return given
	}
	lookAtSources(t)
	path := filepath.Join(t.TempDir(), "malote")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "../../cmd/malote")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build has it, so that little is compiled
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return path
}

// lookAtSources lets Go's cache of test results know what the program is made of: it
// remembers the directories that a test has read, and nothing of what it had built.
func lookAtSources(t *testing.T) {
	t.Helper()
	for _, directory := range []string{"../../cmd", "../../internal"} {
		require.NoError(t, filepath.WalkDir(directory, func(_ string, _ fs.DirEntry, err error) error { return err }))
	}
}

// seeds are those that the environment asks for, or one that is always the same
// and one that never is.
func seeds(t *testing.T) []uint64 {
	t.Helper()
	if text := os.Getenv(seedVariable); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		return []uint64{seed}
	}
	if text := os.Getenv(seedsVariable); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		list := make([]uint64, n)
		for i := range list {
			list[i] = rand.Uint64()
		}
		return list
	}
	return []uint64{fixedSeed, rand.Uint64()}
}

func durationFrom(variable string, otherwise time.Duration) time.Duration {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func kinds() (list []torture.Kind) {
	if text := os.Getenv(kindsVariable); text != "" {
		for name := range strings.SplitSeq(text, ",") {
			list = append(list, torture.Kind(strings.TrimSpace(name)))
		}
	}
	return list
}

// TestTorture runs Malote as processes under a schedule of faults and lets the
// checker judge what came of it.
func TestTorture(t *testing.T) {
	duration := durationFrom(durationVariable, shortDuration)
	isShort := os.Getenv(seedVariable)+os.Getenv(seedsVariable) == ""
	if isShort {
		t.Parallel()
	}
	binary := malote(t)
	for i, seed := range seeds(t) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			if isShort {
				t.Parallel()
			}
			began := time.Now()
			progress("torture: run %d, seed %d, %v", i+1, seed, duration)
			journal := torment(t, seed, duration, binary)
			found := torture.Check(journal)
			progress("torture: seed %d: %s; %d violations, after %v", seed, summary(journal), len(found), time.Since(began).Round(time.Second))
			for n, violation := range found {
				if n == 20 {
					t.Errorf("… and %d more", len(found)-n)
					break
				}
				t.Errorf("%v", violation)
			}
			if len(found) > 0 {
				t.Errorf("see it again with make torture SEED=%d DURATION=%v", seed, duration)
			}
		})
	}
}

// torment is one run.
func torment(t *testing.T, seed uint64, duration time.Duration, binary string) *torture.Journal {
	w := newWorld(t, seed, binary, os.Getenv(skewedVariable))
	w.duration = duration
	plan := torture.Plan(seed, duration, torture.Scene{
		Processes: w.names, Workers: w.workers, Lease: lease, Kinds: kinds(),
		Receivers: []string{"plain", "busy", "slow", "fifo", "once", "secure", "named", "states"},
	})
	publishers, stop := w.publishers()
	w.receivers.began = time.Now()
	publishers.start(seed)
	w.suffer(plan, publishers)
	wait(t.Context(), duration-time.Since(w.receivers.began))
	stop()
	w.heal()
	publishers.crowd.Wait()
	w.settle()
	stranded := w.calm(publishers)
	journal := w.journal(publishers.ledger)
	journal.Stranded = stranded
	require.NotEmpty(t, journal.Requests, "nothing happened at all")
	return journal
}

func (w *world) publishers() (*publishers, func()) {
	stopping, stop := context.WithCancel(w.t.Context())
	giveUp, cancel := context.WithCancel(w.t.Context())
	w.t.Cleanup(cancel)
	return &publishers{
		ledger: &ledger{}, world: w, client: &http.Client{Timeout: 10 * time.Second}, stop: stopping, giveUp: giveUp,
	}, stop
}

// calm publishes a little while nothing is disturbed, to lanes that have fallen
// asleep, and counts those that nobody woke. A machine that stood still for
// seconds can bring about one; so only what happens again counts.
func (w *world) calm(p *publishers) (stranded int) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2 {
		before := w.stranded()
		for range 8 {
			p.api(fact, "", 0)
			p.order(random)
			wait(w.t.Context(), 200*time.Millisecond)
		}
		w.settle()
		if stranded = w.stranded() - before; stranded == 0 {
			return 0
		}
	}
	return stranded
}
