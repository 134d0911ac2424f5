package sender

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wneessen/go-mail"

	"github.com/malotehq/malote/internal/delivery"
)

// longestSubject is in characters: longer ones are no subjects.
const longestSubject = 200

// recipient is the one address of a mail, or "".
func recipient(claim *delivery.Claim, ofURL string) string {
	if ofURL != "" {
		return ofURL
	}
	for _, h := range claim.Event.Headers {
		if h.Name == delivery.RecipientHeader && delivery.ValidMailbox(h.Value) {
			return h.Value
		}
	}
	return ""
}

// message puts an event's body into a mail: its members subject and text, as the
// policy email renders them, or else the body itself under the event's type.
//
// Its Message-ID is the event's, on every attempt: who gets a mail twice, because
// the server's answer got lost, can tell.
func (s *MailServer) message(claim *delivery.Claim, to, version string, now time.Time) *mail.Msg {
	subject, text := mailWords(&claim.Event)
	m := mail.NewMsg()
	m.FromMailAddress(&s.From)
	m.ToMailAddress(&mailAddress{Address: to})
	m.Subject(subject)
	m.SetDateWithValue(now)
	m.SetMessageIDWithValue(claim.Event.ID.Format(delivery.EventPrefix) + "@" + s.domain())
	m.SetUserAgent("Malote/" + version)
	// So that nobody's out-of-office note answers it (RFC 3834 section 5).
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	m.SetGenHeader("X-Malote-Event", claim.Event.ID.Format(delivery.EventPrefix))
	m.SetBodyString(mail.TypeTextPlain, text)
	return m
}

func mailWords(event *delivery.Event) (subject, text string) {
	var body struct {
		Subject, Text string
	}
	if err := json.Unmarshal(event.Body, &body); err != nil || body.Text == "" {
		body.Subject, body.Text = event.Type, string(event.Body)
	}
	if body.Subject == "" {
		body.Subject = event.Type
	}
	return oneLine(body.Subject), printable(body.Text)
}

// oneLine leaves nothing in a subject that could end its line (RFC 5322 section
// 2.2), nor anything that is not seen.
func oneLine(text string) string {
	words := strings.Fields(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "\ufffd")))
	line := strings.Join(words, " ")
	if utf8.RuneCountInString(line) > longestSubject {
		line = string([]rune(line)[:longestSubject-1]) + "…"
	}
	return line
}

// printable keeps lines and tabs, and nothing else that controls anything.
func printable(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n")
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || !unicode.IsControl(c) {
			return c
		}
		return -1
	}, text)
}
