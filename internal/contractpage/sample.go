package contractpage

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/malotehq/malote/internal/policy"
)

//go:embed samples/*.txt
var sampleFiles embed.FS

var sampleTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(sampleFiles, "samples/*.txt"))
})

// sample is a program, or a function of one, that verifies signatures. The
// programs are the same in every language of the page.
type sample struct {
	name     string // of its texts
	language string
	text     string
}

// programs lists the samples in the order in which they are shown. literal
// writes a text in the program's language: a header's name may hold quotation
// marks, dollars and backticks.
var programs = []struct {
	name, language string
	literal        func(string) string
}{
	{"go-package", "go", strconv.Quote},
	{"go", "go", strconv.Quote},
	{"node", "javascript", strconv.Quote},
	{"python", "python", strconv.Quote},
	{"php", "php", func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
	}},
	{"shell", "sh", func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }},
}

// ownNames are the headers that the package webhook knows by itself.
var ownNames = [3]string{"webhook-id", "webhook-timestamp", "webhook-signature"}

func samplesFor(p *policy.Policy) ([]sample, error) {
	var samples []sample
	names := [3]string{strings.ToLower(p.Headers.ID), strings.ToLower(p.Headers.Timestamp), strings.ToLower(p.Headers.Signature)}
	for _, program := range programs {
		var text strings.Builder
		err := sampleTemplates().ExecuteTemplate(&text, program.name+".txt", map[string]any{
			"ID": program.literal(names[0]), "Timestamp": program.literal(names[1]), "Signature": program.literal(names[2]),
			"Hex": p.Signature.Scheme == policy.TimestampHex, "Renamed": names != ownNames,
			"Tolerance": int(tolerance.Seconds()),
		})
		if err != nil {
			return nil, fmt.Errorf("filling in the sample for %s: %w", program.name, err)
		}
		samples = append(samples, sample{program.name, program.language, text.String()})
	}
	return samples, nil
}
