package receiver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

func TestManner_ChoosesByNumberAndTime(t *testing.T) {
	t.Parallel()
	bad, good := receiver.Status(500), receiver.Polite()
	for name, test := range map[string]struct {
		manner receiver.Manner
		moment receiver.Moment
		status int
	}{
		"first 2: the 2nd":        {receiver.First(2, bad, good), receiver.Moment{Number: 2}, 500},
		"first 2: the 3rd":        {receiver.First(2, bad, good), receiver.Moment{Number: 3}, 200},
		"before the outage":       {receiver.During(2, 5, bad, good), receiver.Moment{Elapsed: 1}, 200},
		"the outage begins":       {receiver.During(2, 5, bad, good), receiver.Moment{Elapsed: 2}, 500},
		"the outage is over":      {receiver.During(2, 5, bad, good), receiver.Moment{Elapsed: 5}, 200},
		"every 3rd: the 3rd":      {receiver.Every(3, good, bad), receiver.Moment{Number: 3}, 200},
		"every 3rd: the 4th":      {receiver.Every(3, good, bad), receiver.Moment{Number: 4}, 500},
		"a redirect is no answer": {receiver.Redirect(307, "/x"), receiver.Moment{}, 307},
	} {
		reaction := test.manner(test.moment)
		require.Equal(t, test.status, reaction.StatusCode(), name)
		require.Equal(t, test.status == 200, reaction.Accepts(), name)
	}
	require.Equal(t, 15*time.Millisecond, receiver.Jittered(10*time.Millisecond, 20*time.Millisecond, good)(receiver.Moment{Random: 0.5}).Delay)
	require.False(t, receiver.Silent()(receiver.Moment{}).Accepts())
	require.False(t, receiver.Resetting()(receiver.Moment{}).Accepts())
}

func TestTold_IsWhatTheOptionsAskFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, failFirst int
		first, third      int
	}{
		{0, 0, 200, 200},
		{204, 0, 204, 204},
		{503, 0, 503, 503},
		{0, 2, 500, 200},
		{429, 2, 429, 200},
		{202, 2, 500, 200},
	} {
		manner, err := receiver.Told(test.status, time.Second, test.failFirst)
		require.NoError(t, err)
		require.Equal(t, test.first, manner(receiver.Moment{Number: 1}).StatusCode(), test)
		require.Equal(t, test.third, manner(receiver.Moment{Number: 3}).StatusCode(), test)
		require.Equal(t, time.Second, manner(receiver.Moment{Number: 1}).Delay)
	}
	for _, wrong := range []struct {
		status    int
		delay     time.Duration
		failFirst int
	}{{101, 0, 0}, {600, 0, 0}, {0, -1, 0}, {0, 0, -1}} {
		_, err := receiver.Told(wrong.status, wrong.delay, wrong.failFirst)
		require.Error(t, err)
	}
}

func TestManner_AnswersAsTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		manner receiver.Manner
		status int
		header map[string]string
	}{
		"busy":       {receiver.Busy(429, 7*time.Second), 429, map[string]string{"Retry-After": "7"}},
		"redirect":   {receiver.Redirect(302, "/elsewhere"), 302, map[string]string{"Location": "/elsewhere"}},
		"gone":       {receiver.Status(410), 410, nil},
		"no content": {receiver.Status(204), 204, map[string]string{"Content-Length": ""}},
		"dripping":   {receiver.Dripping(3, time.Millisecond), 200, map[string]string{"Content-Length": "3"}},
		"late":       {receiver.Delayed(time.Millisecond, receiver.Polite()), 200, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, receiver.Options{Manner: test.manner})
			response, _ := f.post("evt_1", "{}")
			require.Equal(t, test.status, response.StatusCode)
			for header, value := range test.header {
				require.Equal(t, value, response.Header.Get(header))
			}
			require.Equal(t, test.status < 300, f.Records()[0].Accepted)
		})
	}
}

func TestManner_AFailedOneIsNoDuplicate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Manner: receiver.First(2, receiver.Status(500), receiver.Polite())})
	for _, want := range []int{500, 500, 200, 200} {
		response, _ := f.post("evt_1", "{}")
		require.Equal(t, want, response.StatusCode)
	}
	counts := f.Counts()
	require.Equal(t, 3, counts.Repeated)
	require.Equal(t, 1, counts.Duplicates, "only the last came after it was accepted")
	require.Equal(t, 1, counts.Accepted)
}

func TestManner_ResetsAfterReading(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Manner: receiver.Resetting()})
	_, err := f.client.Do(f.request("evt_1", "{}"))
	require.True(t, errors.Is(err, syscall.ECONNRESET), "%v", err)
	require.Equal(t, 1, f.Counts().Genuine)
	require.False(t, f.Records()[0].Accepted)
}

func TestManner_BreaksOffInMidBody(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Manner: receiver.BreakingOff()})
	response, err := f.client.Do(f.request("evt_1", "{}"))
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestManner_NeverAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Manner: receiver.Silent()})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := f.client.Do(f.request("evt_1", "{}").WithContext(ctx))
		failed <- err
	}()
	require.Eventually(t, func() bool { return f.Counts().Genuine == 1 }, 5*time.Second, time.Millisecond)
	select {
	case err := <-failed:
		t.Fatalf("it answered: %v", err)
	default:
	}
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
}

func TestManner_WhoDoesNotWaitIsNotAccepted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Manner: receiver.First(1, receiver.Delayed(time.Hour, receiver.Polite()), receiver.Polite())})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := f.client.Do(f.request("evt_1", "{}").WithContext(ctx))
		failed <- err
	}()
	require.Eventually(t, func() bool { return f.Counts().Genuine == 1 }, 5*time.Second, time.Millisecond)
	cancel()
	require.Error(t, <-failed)
	_, body := f.post("evt_1", "{}")
	require.Contains(t, body, `"duplicate":false`)
	require.Equal(t, 1, f.Counts().Accepted)
}

func TestReceiver_StopsAlthoughRequestsHang(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Manner: receiver.First(1, receiver.Silent(), receiver.Delayed(time.Hour, receiver.Polite()))})
	failed := make(chan error, 2)
	for _, id := range []string{"evt_1", "evt_2"} {
		go func() {
			_, err := f.client.Do(f.request(id, "{}"))
			failed <- err
		}()
	}
	require.Eventually(t, func() bool { return f.Counts().Genuine == 2 }, 5*time.Second, time.Millisecond)
	began := time.Now()
	require.NoError(t, f.stop())
	require.Less(t, time.Since(began), time.Second)
	require.Error(t, <-failed)
	require.Error(t, <-failed)
}
