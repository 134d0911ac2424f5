package api

import (
	"encoding/csv"
	"io"
	"strconv"
)

// csvColumns are the names of exportRowJSON's members, in order.
var csvColumns = []string{
	"event_id", "type", "occurred_at", "accepted_at", "idempotency_key", "external_id", "source_id", "delivery_id", "endpoint_id",
	"state", "reason", "attempt_count", "last_response_status", "last_error_code", "closed_at",
}

// csvRows writes RFC 4180, the line of names first.
type csvRows struct{ out *csv.Writer }

func newCSVRows(w io.Writer) csvRows {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(csvColumns) // Flush tells
	return csvRows{out}
}

func (c csvRows) write(rows []exportRowJSON) error {
	for i := range rows {
		_ = c.out.Write(rows[i].cells())
	}
	c.out.Flush()
	return c.out.Error()
}

func (r *exportRowJSON) cells() []string {
	cells := []string{
		r.EventID, r.Type, cellOfTime(r.OccurredAt), cellOfTime(r.AcceptedAt), valueOf(r.IdempotencyKey), valueOf(r.ExternalID),
		valueOf(r.SourceID), valueOf(r.DeliveryID), valueOf(r.EndpointID), valueOf(r.State), valueOf(r.Reason),
		cellOfNumber(r.AttemptCount), cellOfNumber(r.LastResponseStatus), valueOf(r.LastErrorCode), cellOfTime(r.ClosedAt),
	}
	for i, cell := range cells {
		cells[i] = harmless(cell)
	}
	return cells
}

// harmless keeps a spreadsheet from taking a cell for a formula: keys and types
// are whatever a publisher wrote (OWASP, CSV injection).
func harmless(cell string) string {
	if cell == "" {
		return cell
	}
	switch cell[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return "'" + cell
	}
	return cell
}

func cellOfTime(at timestamp) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(timestampLayout)
}

func cellOfNumber(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
