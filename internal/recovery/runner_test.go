package recovery

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

var errAway = errors.New("the database is away")

func job(n byte) delivery.ID { return delivery.ID{15: n} }

// jobs is a Storage of jobs with so many batches left each; -1: it fails; -2: it
// fails at the commit. What got a batch goes to the back of the line.
type jobs struct {
	line  []delivery.ID
	left  map[delivery.ID]int
	turns []delivery.ID
	lists error
	after func() // each batch
}

func (j *jobs) RunningRecoveries(context.Context) ([]delivery.ID, error) {
	return append([]delivery.ID(nil), j.line...), j.lists
}

func (j *jobs) RecoverBatch(_ context.Context, id delivery.ID) (bool, []delivery.LaneRef, error) {
	j.turns = append(j.turns, id)
	if j.after != nil {
		defer j.after()
	}
	switch {
	case j.left[id] < -1:
		return false, []delivery.LaneRef{{EndpointID: id}}, errAway
	case j.left[id] < 0:
		return false, nil, errAway
	case j.left[id] == 0:
		return false, nil, nil
	}
	j.left[id]--
	return true, []delivery.LaneRef{{EndpointID: id}}, nil
}

func runnerOf(j *jobs) (_ *Runner, woken *[]delivery.ID) {
	woken = new([]delivery.ID)
	return New(j, func(lanes []delivery.LaneRef) {
		for _, lane := range lanes {
			*woken = append(*woken, lane.EndpointID)
		}
	}), woken
}

func TestStep_GivesEveryJobItsTurn(t *testing.T) {
	t.Parallel()
	j := &jobs{line: []delivery.ID{job(1), job(2), job(3)}, left: map[delivery.ID]int{job(1): 2, job(2): 0, job(3): 1}}
	r, woken := runnerOf(j)
	for _, want := range []struct {
		more  bool
		woken []delivery.ID
	}{
		{true, []delivery.ID{job(1), job(3)}},
		{true, []delivery.ID{job(1)}},
		{false, nil},
	} {
		*woken = nil
		more, err := r.Step(t.Context())
		require.NoError(t, err)
		require.Equal(t, want.more, more)
		require.Equal(t, want.woken, *woken)
	}
	require.Len(t, j.turns, 9, "the job that waits is asked each time, and keeps nobody")
}

func TestStep_OneThatFailsKeepsNoOtherFromItsTurn(t *testing.T) {
	t.Parallel()
	j := &jobs{line: []delivery.ID{job(1), job(2)}, left: map[delivery.ID]int{job(1): -1, job(2): 1}}
	r, woken := runnerOf(j)
	more, err := r.Step(t.Context())
	require.ErrorIs(t, err, errAway)
	require.True(t, more)
	require.Equal(t, []delivery.ID{job(2)}, *woken)
}

func TestStep_WakesWhatMayHaveBeenCommitted(t *testing.T) {
	t.Parallel()
	r, woken := runnerOf(&jobs{line: []delivery.ID{job(1)}, left: map[delivery.ID]int{job(1): -2}})
	more, err := r.Step(t.Context())
	require.ErrorIs(t, err, errAway)
	require.False(t, more)
	require.Equal(t, []delivery.ID{job(1)}, *woken)
}

func TestStep_StopsBetweenBatches(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	j := &jobs{line: []delivery.ID{job(1), job(2)}, left: map[delivery.ID]int{job(1): 1, job(2): 1}, after: cancel}
	r, woken := runnerOf(j)
	_, err := r.Step(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []delivery.ID{job(1)}, j.turns)
	require.Equal(t, []delivery.ID{job(1)}, *woken, "what was committed is woken all the same")
}

func TestStep_WithoutADatabase(t *testing.T) {
	t.Parallel()
	r, _ := runnerOf(&jobs{lists: errAway})
	more, err := r.Step(t.Context())
	require.ErrorIs(t, err, errAway)
	require.False(t, more)
}
