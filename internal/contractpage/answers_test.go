package contractpage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows are short: what most of a class comes to is said of the class, and only
// what differs is named.
func TestAnswers_NameWhatDiffers(t *testing.T) {
	t.Parallel()
	const rest = "\nfailures:\n  - {on: [410, 415, 416, 417, 502, 503], then: dead}\n  - {on: [3xx], then: retry, disable_endpoint: true}\n"
	for source, want := range map[string]string{
		"": "2xx / 3xx, such as 301, 302, 307; 4xx, such as 400, 401, 403, 404, 408, 409, 410, 413, 422, 429; 5xx, such as 500, 502, 503, 504",
		"success: [200, 202]": "200, 202 / any other 2xx; 3xx, such as 301, 302, 307; 4xx, such as 400, 401, 403, 404, 408, 409, 410, 413, 422, 429; " +
			"5xx, such as 500, 502, 503, 504",
		rest: "2xx / 410, 415–417, 502, 503 / 3xx, such as 301, 302, 307 / any other 4xx, such as 400, 401, 403, 404, 408, 409, 413, 422, 429; " +
			"any other 5xx, such as 500, 504",
	} {
		p := custom(t, "name: labelled\ndeadline: 1s\nschedule: {kind: table, waits: [1m]}\n"+source)
		c := &composer{locale: locales[English], p: p}
		var rows []string
		for _, row := range answersOf(p) {
			var lines []string
			for _, line := range c.label(row) {
				lines = append(lines, line.String())
			}
			rows = append(rows, strings.Join(lines, "; "))
		}
		require.Equal(t, want, strings.Join(rows, " / "))
	}
}
