package payload

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// style is how a JSON string is written. All of them mean the same.
type style int

const (
	raw     style = iota // only what must be is escaped
	ascii                // everything beyond ASCII is escaped, as pairs of surrogates where needed
	slashed              // / is escaped as well
)

// quote writes a JSON string.
func quote(text string, how style) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '/' && how == slashed:
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r < 0x20:
			fmt.Fprintf(&out, `\u%04x`, r)
		case r > 0xffff && how == ascii:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04X`, high, low)
		case r > 0x7e && how == ascii:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func one[T any](s *source, list []T) T { return list[s.IntN(len(list))] }

// digits is a number of exactly n digits, as text.
func (s *source) digits(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = '0' + byte(s.IntN(10))
	}
	text[0] = '1' + byte(s.IntN(9))
	return string(text)
}

func (s *source) hex(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = "0123456789abcdef"[s.IntN(16)]
	}
	return string(text)
}

// cents is an amount such as 10.00: a JSON number that a decoder would shorten.
func (s *source) cents(most int) string {
	return fmt.Sprintf("%d.%02d", s.IntN(most)+1, one(s, []int{0, 10, 50, 90, 99, s.IntN(100)}))
}

// sentences is text of about so many bytes.
func (s *source) sentences(about int) string {
	var out strings.Builder
	for out.Len() == 0 || out.Len() < about {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(one(s, phrases))
	}
	return out.String()
}

var people = []string{
	"Ana Lúcia Ferreira", "João Conceição", "Márcia D’Ávila", "Zoë Brücke", "Søren Ødegård", "李小龙", "Аня Волкова",
	"Ngọc Trần", "محمد علي", "Iñaki Etxeberria", `Rui "Bento" Paz`, "Françoise Lefèvre", "Ωmega Παπάς", "あきこ",
}

var phrases = []string{
	"Bom dia! O pedido já saiu? 🙂", "Segue o comprovante.", "Obrigada, chegou tudo certinho ❤️", "👩‍👩‍👧‍👦 chegamos em 10 min",
	"Preço: R$ 1.234,56 — à vista", "Tabs\tand\nnew lines", `C:\orders\2026\"final"`, "<b>not bold</b> & not &amp;",
	"naïve café, e\u0301 decomposed", "你好，世界", "שלום עולם", "مرحبا", "🇧🇷🇵🇹🏳️‍🌈", "no\u00a0break\u200bspace", "line\u2028separator",
	"a null\x00in between", "𝒳 is beyond the BMP", "¿Mañana a las 8? ¡Sí!", "price >= 10 && qty < 3", "日本語のメッセージ",
}
