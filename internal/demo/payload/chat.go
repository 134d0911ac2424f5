package payload

import (
	"fmt"
	"strings"
)

// message is shaped like a chat platform's message event: text in any script,
// emoji raw or as surrogate pairs, and now and then a \u0000.
func message(s *source) Payload {
	how := one(s, []style{raw, ascii, slashed})
	text := s.sentences(max(s.about-260, 8))
	if s.IntN(8) == 0 {
		text = "\x00" + text + "\x00"
	}
	var reactions []string
	for range s.IntN(4) {
		reactions = append(reactions, fmt.Sprintf(`%s:%d`, quote(one(s, emoji), how), 1+s.IntN(30)))
	}
	data := fmt.Sprintf(`{"z_seq":%s,"channel":{"id":"C%s","name":%s},"user":%s,"ts":"%d.%06d","text":%s,"edited":null,"reactions":{%s},"blocks":[],"a_last":true}`,
		s.digits(20), strings.ToUpper(s.hex(9)), quote(one(s, channels), how), quote(one(s, people), how),
		s.at.Unix(), s.IntN(1_000_000), quote(text, how), strings.Join(reactions, ","))
	return Payload{Type: "message.created", Data: []byte(data)}
}

var channels = []string{"geral", "atendimento-☎️", "финансы", "訂單", "plantão/noite"}

var emoji = []string{"👍", "🎉", "❤️", "👩🏽‍💻", "🥖", "🫶🏿"}
