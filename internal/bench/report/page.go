package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// WritePage writes one HTML document that needs nothing else, with the tables and
// their plots.
func (r Report) WritePage(out io.Writer) error {
	err := page.Execute(out, struct {
		Report   Report
		Date     string
		Facts    [][2]string
		Warnings []string
		Sections []section
	}{r, r.StartedAt.UTC().Format("2006-01-02 15:04 UTC"), r.Facts(), r.Warnings(), r.sections()})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
