package delivery

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestID_CarriesTimeAndShard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shard := Shard(rapid.IntRange(0, Shards-1).Draw(t, "shard"))
		at := time.Unix(0, rapid.Int64Range(0, 1<<61).Draw(t, "nanos")).UTC()
		id := NewID(shard, at, rand.Reader)

		require.Equal(t, shard, id.Shard())
		require.WithinDuration(t, at, id.Time(), time.Microsecond)
		require.EqualValues(t, 7, id.UUID().Version())
		require.Equal(t, "RFC4122", id.UUID().Variant().String())

		back, err := ParseID(EventPrefix, id.Format(EventPrefix))
		require.NoError(t, err)
		require.Equal(t, id, back)
	})
}

func TestID_OrderFollowsTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(0, rapid.Int64Range(0, 1<<60).Draw(t, "nanos"))
		later := at.Add(time.Duration(rapid.Int64Range(int64(time.Microsecond), 1<<59).Draw(t, "gap")))
		first, second := NewID(7, at, rand.Reader), NewID(3, later, rand.Reader)
		require.Negative(t, bytes.Compare(first[:], second[:]))
		floor := FloorID(later)
		require.Negative(t, bytes.Compare(first[:], floor[:]))
		require.LessOrEqual(t, bytes.Compare(floor[:], second[:]), 0)
	})
}

func TestDeliveryID_LiesInItsEventsRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(0, rapid.Int64Range(0, 1<<61).Draw(t, "nanos"))
		event := NewID(Shard(rapid.IntRange(0, Shards-1).Draw(t, "shard")), at, rand.Reader)
		id := NewDeliveryID(event, rand.Reader)
		from, to := EventRange(event)
		require.LessOrEqual(t, bytes.Compare(from[:], id[:]), 0)
		require.Negative(t, bytes.Compare(id[:], to[:]))
		require.Equal(t, event.Shard(), id.Shard())
		require.NotEqual(t, event, id)
	})
}

func TestParseID_RefusesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	good := NewID(1, time.Unix(1_700_000_000, 0), rand.Reader)
	for _, shown := range []string{
		"", "evt_", good.String(), good.Format(EndpointPrefix), good.Format(EventPrefix) + "x",
		"evt_00000000000000000000000000", "EVT_" + good.Format(EventPrefix)[4:],
	} {
		_, err := ParseID(EventPrefix, shown)
		require.ErrorIs(t, err, ErrInvalidID, "%q", shown)
	}
}

func TestShardOf_NeverChanges(t *testing.T) {
	t.Parallel()
	// A changed value here would orphan every stored row.
	require.Equal(t, Shard(0xba78&(Shards-1)), ShardOf("abc"))
	require.Equal(t, Shard(0xe3b0&(Shards-1)), ShardOf(""))
}

func TestMatchType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, eventType string
		want               bool
	}{
		{"invoice.paid", "invoice.paid", true},
		{"invoice.paid", "invoice.paid.late", false},
		{"invoice.*", "invoice.paid", true},
		{"invoice.*", "invoice.", false},
		{"invoice.*", "invoices.paid", false},
		{"*", "anything", true},
		{".*", "x", false},
	} {
		require.Equal(t, c.want, MatchType(c.pattern, c.eventType), "%s ~ %s", c.pattern, c.eventType)
	}
	require.True(t, (&Endpoint{}).Subscribes("whatever"), "an empty list means every type (D07)")
}

func TestSecret_NeverShowsItsValue(t *testing.T) {
	t.Parallel()
	secret := Secret{ID: NewID(0, time.Unix(1, 0), rand.Reader), Value: "whsec_hush"}
	endpoint := &Endpoint{Secrets: []Secret{secret}}
	asJSON, err := json.Marshal(endpoint)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "endpoint", endpoint, "secret", secret)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "endpoint", endpoint, "secret", secret)
	for _, shown := range []string{
		fmt.Sprint(secret), fmt.Sprintf("%+v %#v %s", endpoint.Secrets, secret, secret), string(asJSON), log.String(),
	} {
		require.NotContains(t, shown, "hush")
	}
}

func TestErrorCodes_AreExplained(t *testing.T) {
	t.Parallel()
	for _, code := range ErrorCodes {
		require.NotEmpty(t, code.Explain(), code)
	}
}
