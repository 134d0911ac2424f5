package alert

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func addresses(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("ops%d@acme.example", i+1))
	}
	return list
}

func mailed(t testing.TB, notice delivery.Notice) mailData {
	t.Helper()
	var d mailData
	require.NoError(t, json.Unmarshal(notice.Data, &d))
	return d
}

func TestDracma_D08_TellsTheTenantsAddressesFiveAtMost(t *testing.T) {
	t.Parallel()
	s := signal("acme", delivery.DeliveryDead, "attempts_exhausted")
	for _, c := range []struct {
		emails []string
		want   int
	}{
		{nil, 0}, {[]string{}, 0}, {addresses(1), 1}, {addresses(5), 5}, {addresses(7), 5},
		{[]string{"ops@acme.example", "ops@acme.example"}, 1},
		{[]string{"Öps@acme.example", "a@b\r\nBcc: x@y.example", "ops@acme.example"}, 1},
	} {
		untold := pending(s)
		untold.Contacts["acme"] = delivery.Contacts{AlertEmails: c.emails, TechnicalContact: "dev@acme.example"}
		telling := tellTenant(delivery.DeliveryDead, untold, window)
		require.Equal(t, []delivery.ID{s.ID}, telling.Settled)
		require.Len(t, telling.Notices, c.want, c.emails)
		require.Equal(t, c.want > 0, len(telling.Told) > 0)
		keys := make(map[string]bool)
		for _, notice := range telling.Notices {
			keys[notice.Key] = true
			require.Contains(t, c.emails, notice.To)
			require.True(t, strings.HasPrefix(notice.Type, MailType), "no operator subscribes to it by accident")
			d := mailed(t, notice)
			require.Equal(t, "Webhook in the DLQ", d.Subject)
			for _, shown := range []string{"invoice.paid", s.EventID.Format(delivery.EventPrefix), s.DeliveryID.Format(delivery.DeliveryPrefix), "acme"} {
				require.Contains(t, d.Text, shown)
			}
		}
		require.Len(t, keys, c.want, "each its own event")
	}
}

// D08 has the type and id of what entered the DLQ in the mail: of each, also where
// several go into one.
func TestDracma_D08_EveryDeadLetterIsNamed(t *testing.T) {
	t.Parallel()
	var signals []delivery.Signal
	for i := range mailedAtOnce {
		s := signal("acme", delivery.DeliveryDead, "too_old")
		s.EventType = fmt.Sprintf("type.%d", i)
		signals = append(signals, s)
	}
	untold := pending(signals...)
	untold.Contacts["acme"] = delivery.Contacts{AlertEmails: addresses(2)}
	telling := tellTenant(delivery.DeliveryDead, untold, window)
	require.Len(t, telling.Notices, 2)
	require.Less(t, len(telling.Notices[0].Data), 1<<20, "it can be published")
	text := mailed(t, telling.Notices[1]).Text
	for _, s := range signals {
		require.Contains(t, text, s.EventType+"\n")
		require.Contains(t, text, s.EventID.Format(delivery.EventPrefix))
	}

	untold.Last[delivery.DeliveryDead] = now
	require.Equal(t, delivery.Telling{}, tellTenant(delivery.DeliveryDead, untold, window), "what follows is gathered")
}

func TestFairQueue_F14_TellsTheTechnicalContact(t *testing.T) {
	t.Parallel()
	for kind, want := range map[delivery.SignalKind][2]string{
		endpointFailing:  {"24h0m0s", "no success for a day"},
		endpointDisabled: {"failing_too_long", "it failed for too long"},
	} {
		s := signal("acme", kind, want[0])
		untold := pending(s)
		untold.Contacts["acme"] = delivery.Contacts{AlertEmails: addresses(5), TechnicalContact: "dev@acme.example"}
		telling := tellTenant(kind, untold, window)
		require.Len(t, telling.Notices, 1)
		require.Equal(t, "dev@acme.example", telling.Notices[0].To)
		d := mailed(t, telling.Notices[0])
		require.Contains(t, d.Text, want[1])
		require.Contains(t, d.Text, s.EndpointID.Format(delivery.EndpointPrefix)+" at hooks.acme.example")

		toOperators, _ := tellOperators([]delivery.SignalKind{kind}, untold, window)
		require.Equal(t, "dev@acme.example", told(t, toOperators.Notices[0]).Items[0].Contact, "operators see whom to call")

		untold.Contacts["acme"] = delivery.Contacts{AlertEmails: addresses(5)}
		require.Empty(t, tellTenant(kind, untold, window).Notices)
	}
	require.Equal(t, "3 days", days(72*3600e9))
	require.Equal(t, "36h0m0s", days(36*3600e9))
}
