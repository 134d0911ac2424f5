package payload

import (
	"fmt"
	"strings"
)

// invoice is shaped like Stripe's invoice events: indented, amounts in cents,
// nested lists, many nulls.
func invoice(s *source) Payload {
	eventType, paid := "invoice.paid", true
	if s.IntN(5) == 0 {
		eventType, paid = "invoice.payment_failed", false
	}
	total := s.IntN(900_000) + 100
	var out strings.Builder
	fmt.Fprintf(&out, "{\n  \"id\": \"in_%s\",\n  \"object\": \"invoice\",\n", s.hex(24))
	fmt.Fprintf(&out, "  \"created\": %d,\n  \"currency\": \"brl\",\n  \"livemode\": false,\n", s.at.Unix())
	fmt.Fprintf(&out, "  \"customer\": \"cus_%s\",\n  \"customer_name\": %s,\n", s.hex(14), quote(one(s, people), raw))
	fmt.Fprintf(&out, "  \"amount_due\": %d,\n  \"amount_paid\": %d,\n  \"paid\": %t,\n", total, map[bool]int{true: total}[paid], paid)
	out.WriteString("  \"application_fee_amount\": null,\n  \"discount\": null,\n  \"metadata\": {},\n  \"tax_percent\": 0.0,\n")
	out.WriteString("  \"lines\": {\n    \"object\": \"list\",\n    \"data\": [\n")
	for first := true; first || out.Len() < s.about; first = false {
		if !first {
			out.WriteString(",\n")
		}
		fmt.Fprintf(&out, "      {\n        \"id\": \"il_%s\",\n        \"amount\": %d,\n        \"quantity\": %d,\n        \"description\": %s,\n        \"proration\": false\n      }",
			s.hex(24), s.IntN(50_000), 1+s.IntN(12), quote(one(s, products)+", "+s.sentences(20), raw))
	}
	out.WriteString("\n    ],\n    \"has_more\": false\n  }\n}")
	return Payload{Type: eventType, Data: []byte(out.String())}
}
