package payload

import (
	"fmt"
	"strings"
)

// push is shaped like GitHub's push event: compact, escaped slashes, long.
func push(s *source) Payload {
	owner, name := one(s, []string{"malha", "tear-labs", "agulha"}), one(s, []string{"vitrine", "caixa", "estoque-api", "site"})
	page := "https://git.example/" + owner + "/" + name
	var out strings.Builder
	fmt.Fprintf(&out, `{"ref":%s,"before":"%s","after":"%s",`,
		quote("refs/heads/"+one(s, []string{"main", "feat/ação-rápida", "fix/🐛"}), ascii), s.hex(40), s.hex(40))
	fmt.Fprintf(&out, `"repository":{"id":%s,"node_id":"R_%s","name":"%s","full_name":%s,"private":%t,"html_url":%s,"size":%d,"topics":[]},`,
		s.digits(9), s.hex(12), name, quote(owner+"/"+name, slashed), s.IntN(2) == 0, quote(page, slashed), s.IntN(90_000))
	fmt.Fprintf(&out, `"created":false,"deleted":false,"forced":%t,"base_ref":null,"pusher":{"name":%s,"email":null},"commits":[`,
		s.IntN(9) == 0, quote(one(s, people), ascii))
	for first := true; first || out.Len() < s.about; first = false {
		if !first {
			out.WriteByte(',')
		}
		out.WriteString(s.commit(page))
	}
	out.WriteString(`]}`)
	return Payload{Type: "repo.push", Data: []byte(out.String())}
}

func (s *source) commit(page string) string {
	id := s.hex(40)
	var files []string
	for range 1 + s.IntN(4) {
		files = append(files, quote(one(s, []string{"src/", "docs/", "web/páginas/"})+s.hex(6)+one(s, []string{".go", ".md", ".ts"}), slashed))
	}
	return fmt.Sprintf(`{"id":"%s","distinct":true,"message":%s,"timestamp":"%s","url":%s,"author":{"name":%s},"added":[],"removed":[],"modified":[%s]}`,
		id, quote(s.sentences(30+s.IntN(80)), ascii), s.at.Format("2006-01-02T15:04:05-07:00"),
		quote(page+"/commit/"+id, slashed), quote(one(s, people), ascii), strings.Join(files, ","))
}
