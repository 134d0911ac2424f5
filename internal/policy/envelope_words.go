package policy

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// said is an event for people to read.
type said struct{ subject, text string }

// inWords reads what an event says to people: the members subject and text of its
// data, or message in place of text. Data without them is shown as it is, below
// the event's type.
func inWords(eventType string, data []byte) said {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members) // what is no object, has none
	s := said{subject: textIn(members, "subject"), text: textIn(members, "text")}
	if s.subject == "" {
		s.subject = eventType
	}
	if s.text == "" {
		s.text = textIn(members, "message")
	}
	if s.text == "" {
		s.text = eventType + "\n" + string(data)
	}
	return s
}

func textIn(members map[string]json.RawMessage, name string) (text string) {
	_ = json.Unmarshal(members[name], &text) // what is no string, is none
	return text
}

// mostMrkdwn is how many characters a chat message has: Discord takes 2,000,
// others more.
const mostMrkdwn = 1900

const cutOff = "…"

// mrkdwn escapes a text the way Slack wants it (&, < and > have a meaning there:
// links, and calling everybody), and cuts it.
func mrkdwn(text string) string {
	var b strings.Builder
	size := 0
	for _, c := range text {
		shown := string(c)
		switch c {
		case '&':
			shown = "&amp;"
		case '<':
			shown = "&lt;"
		case '>':
			shown = "&gt;"
		case utf8.RuneError:
			shown = "\ufffd"
		}
		if size += utf8.RuneCountInString(shown); size > mostMrkdwn {
			return b.String() + cutOff
		}
		b.WriteString(shown)
	}
	return b.String()
}
