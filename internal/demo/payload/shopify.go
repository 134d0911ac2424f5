package payload

import (
	"fmt"
	"strings"
)

// orders is how many orders are open at a time: updates come back to them.
const orders = 40

// order is shaped like Shopify's order webhooks: prices as text, escaped
// slashes, long numeric ids. An update tells an order's present state, so that
// only the last one counts.
func order(s *source) Payload {
	number := 1000 + s.IntN(orders)
	version := s.at.UnixMilli()
	payload := Payload{Type: "order.created"}
	if s.IntN(100) < 55 {
		payload = Payload{Type: "order.updated", Entity: fmt.Sprintf("order-%d", number), Version: fmt.Sprint(version)}
	}
	var out strings.Builder
	fmt.Fprintf(&out, `{"id":%s,"admin_graphql_api_id":%s,"order_number":%d,"name":"#%d","updated_at_ms":%d,`,
		s.digits(13), quote("gid://shop/Order/"+s.digits(13), slashed), number, number, version)
	fmt.Fprintf(&out, `"currency":"BRL","total_price":"%s","total_weight":%d,"taxes_included":true,"test":false,"note":%s,`,
		s.cents(3000), s.IntN(9000), quote(s.sentences(10), slashed))
	fmt.Fprintf(&out, `"customer":{"id":%s,"first_name":%s,"tags":"","accepts_marketing":null},"line_items":[`,
		s.digits(13), quote(one(s, people), slashed))
	for first := true; first || out.Len() < s.about; first = false {
		if !first {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, `{"id":%s,"title":%s,"sku":"%s","quantity":%d,"price":"%s","grams":%d,"properties":[],"gift_card":false}`,
			s.digits(14), quote(one(s, products), slashed), strings.ToUpper(s.hex(8)), 1+s.IntN(5), s.cents(500), s.IntN(4000))
	}
	out.WriteString(`]}`)
	payload.Data = []byte(out.String())
	return payload
}

var products = []string{
	"Pão de fermentação natural 1/2 kg", "Café torrado “Serra Azul”", "Camiseta P/M/G – algodão", "Caderno pautado 96 fls.",
	"Plano de 12 meses ☁️ 2 TB", "Ração 10,1 kg", "Kit lâmpada E27 (3×)", "Vinho verde 0.750 l", "Guarda-chuva ☂ 105 cm", "Mel & própolis",
}
