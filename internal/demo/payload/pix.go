package payload

import (
	"fmt"
	"strings"
)

// pix is shaped like the notices of Brazilian instant payments: amounts as bare
// decimals, identifiers and sequence numbers of 20 digits and more, which no
// float64 holds.
func pix(s *source) Payload {
	eventType := "pix.received"
	if s.IntN(12) == 0 {
		eventType = "pix.returned"
	}
	var out strings.Builder
	out.WriteString(`{ "pix" : [`)
	for first := true; first || out.Len() < s.about; first = false {
		if !first {
			out.WriteString(` ,`)
		}
		fmt.Fprintf(&out, ` {"endToEndId":"E%s%s","nsu":%s,"txid":"%s","valor":%s,"horario":"%s",`,
			s.digits(8), s.at.Format("200601021504"), s.digits(20), s.hex(32), s.cents(5000), s.at.Format("2006-01-02T15:04:05.000Z"))
		fmt.Fprintf(&out, `"chave":"+55119%s","tarifa":1e-2,"saldo":-0.00,"pagador":{"cpf":"***.%s.%s-**","nome":%s},"infoPagador":%s}`,
			s.digits(8), s.digits(3), s.digits(3), quote(one(s, people), raw), quote(s.sentences(s.IntN(60)), raw))
	}
	fmt.Fprintf(&out, " ] , \"lote\" : %s }", s.digits(20))
	return Payload{Type: eventType, Data: []byte(out.String())}
}
