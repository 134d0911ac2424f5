package api

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html docs.css
var docsFiles embed.FS

var docsTemplate = template.Must(template.ParseFS(docsFiles, "docs.html"))

// docsPolicy lets the page load its style sheet from here, and nothing else
// from anywhere.
const docsPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveDocs serves the page made from the document, and its style sheet.
func (r *routes) serveDocs(document *huma.OpenAPI) {
	var page bytes.Buffer
	if err := docsTemplate.Execute(&page, docsOf(document)); err != nil {
		panic(fmt.Sprintf("api: the documentation cannot be rendered: %v", err))
	}
	style, err := docsFiles.ReadFile("docs.css")
	if err != nil {
		panic(fmt.Sprintf("api: the style sheet is missing: %v", err))
	}
	r.serveFile("/docs", docsFile("text/html; charset=utf-8", page.Bytes()))
	r.serveFile("/docs/style.css", docsFile("text/css; charset=utf-8", style))
}

func docsFile(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Security-Policy", docsPolicy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		_, _ = w.Write(content) // the client may have gone
	}
}
