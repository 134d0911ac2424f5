package filter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/malotehq/malote/internal/delivery"
)

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(`type == "order.paid" && data.total > 1000 && data.items.exists(i, i.sku == "A")`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCache(b *testing.B) {
	var cache Cache
	for b.Loop() {
		if _, err := cache.Get(`type == "order.paid"`); err != nil {
			b.Fatal(err)
		}
	}
}

// Decoding included, as for the first filter of an event.
func BenchmarkMatch(b *testing.B) {
	item := `{"sku":"B-%06d","quantity":2,"price":199.90,"note":"a line of an order"},`
	var items strings.Builder
	for i := range 1300 {
		fmt.Fprintf(&items, item, i)
	}
	bodies := map[string][]byte{
		"500B":   []byte(`{"id":"o-1","total":1500,"note":"` + strings.Repeat("x", 380) + `","items":[{"sku":"B"},{"sku":"C"}]}`),
		"100KiB": []byte(`{"id":"o-1","total":1500,"items":[` + items.String() + `{"sku":"C"}]}`),
	}
	for name, source := range map[string]string{
		"type": `type == "order.paid"`, "field": `data.total > 1000`, "loop": `data.items.exists(i, i.sku == "C")`,
	} {
		f, err := Compile(source)
		if err != nil {
			b.Fatal(err)
		}
		for size, body := range bodies {
			b.Run(name+"/"+size, func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					event := NewEvent(&delivery.Event{Type: "order.paid"}, body)
					if got, err := f.Match(event); err != nil || !got {
						b.Fatal(got, err)
					}
				}
			})
		}
		b.Run(name+"/decoded", func(b *testing.B) {
			event := NewEvent(&delivery.Event{Type: "order.paid"}, bodies["500B"])
			for b.Loop() {
				event.spent = 0
				if got, err := f.Match(event); err != nil || !got {
					b.Fatal(got, err)
				}
			}
		})
	}
}
