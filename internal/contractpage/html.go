package contractpage

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"sync"
)

//go:embed page.html
var pageSource string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageSource))
})

// Style is the style sheet. It is ours, and so is the whole of the file.
func (p *page) Style() template.CSS { return template.CSS(styleSheet) }

func writeHTML(p *page) ([]byte, error) {
	var out bytes.Buffer
	if err := pageTemplate().Execute(&out, p); err != nil {
		return nil, fmt.Errorf("filling in the page: %w", err)
	}
	return out.Bytes(), nil
}
