package main

import (
	"fmt"
	"io"

	"github.com/malotehq/malote/internal/source"
)

// showVerdict says what a request is and, if it is not genuine, why, and what
// to compare.
func showVerdict(out io.Writer, record source.Record, v source.Verdict) {
	provider, _ := source.Lookup(record.Provider)
	t := newTable(out)
	t.field("Verdict", string(v.Result))
	t.field("Why", v.Explain())
	t.field("Code", string(v.Reason))
	t.field("Matched", v.Secret)
	if v.Accepted() {
		showAccepted(t, v)
		t.flush()
		return
	}
	if v.Fetch != nil {
		t.field("To fetch", v.Fetch.Method+" "+v.Fetch.URL+" (give its content with --certificate)")
	}
	t.field(provider.Title+" signs", provider.Signed)
	t.field("Its secret", provider.Secret)
	t.field("Beware", provider.Gotcha)
	t.field("Body", fmt.Sprintf("%d bytes, %s", len(record.Request.Body), source.BodyHash(record.Request.Body)))
	t.flush()
}

func showAccepted(t *table, v source.Verdict) {
	t.field("Event", v.ID)
	t.field("Type", v.Type)
	for i, item := range v.Items {
		name := "Known again by"
		if len(v.Items) > 1 {
			name = fmt.Sprintf("Item %d", i+1)
		}
		t.field(name, item.Dedupe)
	}
	if v.Response.Status != 0 {
		answer := fmt.Sprint(v.Response.Status)
		if v.Response.Body != "" {
			answer += " " + v.Response.ContentType + ": " + v.Response.Body
		}
		t.field("Answer", answer)
	}
	if v.Fetch != nil {
		t.field("Then", v.Fetch.Method+" "+v.Fetch.URL)
	}
}

// listProviders says of each how it signs.
func listProviders(out io.Writer) error {
	t := newTable(out, "NAME", "PROVIDER", "SIGNED", "WINDOW", "KNOWN AGAIN BY")
	for _, p := range source.Providers() {
		window := absent
		if p.Window > 0 {
			window = brief(p.Window)
		}
		t.row(p.Name, p.Title, p.Signed, window, p.Dedupe)
	}
	t.flush()
	return nil
}
