package main

import (
	"fmt"
	"io"

	measured "github.com/malotehq/malote/internal/bench/report"
)

// printReport shows what was measured on what, and a table for each scenario.
func printReport(out io.Writer, found measured.Report) {
	facts := newTable(out)
	for _, fact := range found.Facts() {
		facts.field(fact[0], fact[1])
	}
	facts.flush()
	for _, warning := range found.Warnings() {
		fmt.Fprintf(out, "! %s\n", clean(warning))
	}
	for _, t := range found.Tables() {
		fmt.Fprintf(out, "\n%s\n%s\n\n", t.Title, t.About)
		rows := newTable(out, append(t.Head, "")...)
		for _, row := range t.Rows {
			rows.row(append(row.Cells, row.Mark())...)
		}
		rows.flush()
	}
}
