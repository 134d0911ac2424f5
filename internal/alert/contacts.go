package alert

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// MostAlertEmails is how many addresses of a tenant are told of its dead letters
// (D08).
const MostAlertEmails = 5

// letter is what a tenant's own people are told of a kind.
type letter struct {
	kind    delivery.SignalKind
	subject string
	one     string // what happened; %s: the tenant
	many    string // %d and %s: how many, the tenant
	advice  string
}

// letters are what is mailed, and D08's subject is the clause's.
var letters = []letter{
	{
		kind: delivery.DeliveryDead, subject: "Webhook in the DLQ",
		one:    "A webhook of %s could not be delivered. It is in the dead-letter queue (DLQ), and is not tried again by itself.",
		many:   "%d webhooks of %s could not be delivered. They are in the dead-letter queue (DLQ), and are not tried again by themselves.",
		advice: "Once your endpoint takes them, they can be sent again, as they are; or marked as resolved, if they are not needed any more.",
	},
	{
		kind: endpointFailing, subject: "Webhook endpoint is failing",
		one:    "A webhook endpoint of %s, whose technical contact you are, has had no success for a long time.",
		many:   "%d webhook endpoints of %s, whose technical contact you are, have had no success for a long time.",
		advice: "If it stays so, Malote will disable what fails: nothing is sent there any more then until somebody enables it again. What waits by then is kept.",
	},
	{
		kind: endpointDisabled, subject: "Webhook endpoint was disabled",
		one:    "A webhook endpoint of %s, whose technical contact you are, was disabled: nothing is sent there any more.",
		many:   "%d webhook endpoints of %s, whose technical contact you are, were disabled: nothing is sent there any more.",
		advice: "What was pending is kept. When the endpoint works again, have it enabled; what it missed can then be recovered.",
	},
}

// mailData is the data of what is mailed: every signal is in it.
type mailData struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	Kind    string `json:"kind"`
	Tenant  string `json:"tenant"`
	Count   int    `json:"count"`
	Items   []item `json:"items"`
}

// tellTenant says what becomes of a tenant's pending signals of one kind. Without
// anybody to tell, they are settled (D08).
func tellTenant(kind delivery.SignalKind, untold delivery.Untold, window time.Duration) delivery.Telling {
	var telling delivery.Telling
	if !due(untold, kind, window) {
		return telling
	}
	for _, s := range untold.Signals {
		telling.Settled = append(telling.Settled, s.ID)
	}
	at := slices.IndexFunc(letters, func(l letter) bool { return l.kind == kind })
	t, known := topicOf(kind)
	first := untold.Signals[0]
	recipients := recipientsOf(kind, untold.Contacts[first.Tenant])
	if at < 0 || !known || len(recipients) == 0 || first.Tenant == delivery.OwnTenant {
		return telling
	}
	data := letters[at].data(first.Tenant, untold)
	for n, to := range recipients {
		telling.Notices = append(telling.Notices, delivery.Notice{
			Key:  fmt.Sprintf("%s/mail/%d", first.ID.Format(delivery.SignalPrefix), n+1),
			Kind: kind, Type: MailType + strings.TrimPrefix(t.event, typePrefix), Data: data, To: to, OccurredAt: first.At,
		})
	}
	telling.Told = []delivery.SignalKind{kind}
	return telling
}

// recipientsOf are the addresses of a tenant that a kind is mailed to, each once.
func recipientsOf(kind delivery.SignalKind, contacts delivery.Contacts) []string {
	addresses := contacts.AlertEmails
	if kind != delivery.DeliveryDead {
		addresses = []string{contacts.TechnicalContact}
	}
	var valid []string
	for _, address := range addresses {
		if delivery.ValidMailbox(address) && !slices.Contains(valid, address) {
			valid = append(valid, address)
		}
	}
	return valid[:min(len(valid), MostAlertEmails)]
}

func (l letter) data(tenant string, untold delivery.Untold) []byte {
	d := mailData{Subject: l.subject, Kind: string(l.kind), Tenant: tenant, Count: len(untold.Signals)}
	var b strings.Builder
	if d.Count == 1 {
		fmt.Fprintf(&b, l.one, tenant)
	} else {
		fmt.Fprintf(&b, l.many, d.Count, tenant)
	}
	b.WriteString("\n\n")
	for _, s := range untold.Signals {
		i := itemOf(s, untold)
		d.Items = append(d.Items, i)
		b.WriteString(l.lines(i))
	}
	fmt.Fprintf(&b, "\n%s\n", l.advice)
	d.Text = b.String()
	return encode(d)
}

// lines say one signal.
func (l letter) lines(i item) string {
	at := i.At.Format("2006-01-02 15:04:05 MST")
	if l.kind == delivery.DeliveryDead {
		return fmt.Sprintf("  type:     %s\n  event:    %s\n  delivery: %s\n  endpoint: %s%s\n  reason:   %s\n  since:    %s\n\n",
			i.EventType, i.Event, i.Delivery, i.Endpoint, before(" at ", i.Host), deadWords(i.Detail), at)
	}
	return fmt.Sprintf("  endpoint: %s%s\n  reason:   %s\n  since:    %s\n\n", i.Endpoint, before(" at ", i.Host), endpointWords(l.kind, i.Detail), at)
}
