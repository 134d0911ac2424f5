package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	// exportTime bounds a whole export. A page of it may take pageTime to be read,
	// and as long again to be taken by the client.
	exportTime = 6 * time.Hour
	pageTime   = time.Minute

	// exportEvents and exportRows are how many are in memory at once.
	exportEvents = 100
	exportRows   = 1000
)

type exportInput struct {
	Tenant   string    `query:"tenant" maxLength:"64" doc:"Required of an admin key. Other keys have their own and may leave it out."`
	Type     string    `query:"type" maxLength:"256" doc:"Only events of this type."`
	Endpoint string    `query:"endpoint" maxLength:"50" doc:"Only deliveries to this endpoint, and the events that have one."`
	Since    timestamp `query:"since" nullable:"false" doc:"Events accepted then or later."`
	Until    timestamp `query:"until" nullable:"false" doc:"Events accepted before. Left out: now."`
	From     string    `query:"from" maxLength:"50" doc:"To go on after an export was cut off: the last event_id that came. Its rows come again, whole, before those that follow."`
	Format   string    `query:"format" enum:"ndjson,csv" default:"ndjson" doc:"A JSON object per line, or CSV with a line of names (RFC 4180)."`
}

// exportRowJSON is one line: an event, and one of its deliveries if it has any.
type exportRowJSON struct {
	EventID            string    `json:"event_id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Type               string    `json:"type" example:"invoice.paid"`
	OccurredAt         timestamp `json:"occurred_at" nullable:"false"`
	AcceptedAt         timestamp `json:"accepted_at" nullable:"false"`
	IdempotencyKey     *string   `json:"idempotency_key" example:"invoice-42-paid"`
	ExternalID         *string   `json:"external_id"`
	SourceID           *string   `json:"source_id" doc:"By which source it came in; null: it was published."`
	DeliveryID         *string   `json:"delivery_id" example:"whd_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"null, as all that follows: no delivery of the event was recorded."`
	EndpointID         *string   `json:"endpoint_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	State              *string   `json:"state" example:"delivered"`
	Reason             *string   `json:"reason" doc:"Why it is dead or skipped."`
	AttemptCount       *int      `json:"attempt_count" example:"1"`
	LastResponseStatus *int      `json:"last_response_status" example:"200"`
	LastErrorCode      *string   `json:"last_error_code"`
	ClosedAt           timestamp `json:"closed_at" doc:"When it was delivered, or came to another end; null: it is still open."`
}

func (s *server) registerExport(r *routes) {
	at := route{
		id: "export-events", method: http.MethodGet, path: "/v1/events/export", tag: tagEvents, need: mayRead, timeout: exportTime,
		summary: "Export events with what became of them",
		description: "A row for each delivery of each event, oldest event first, as a stream: it may be of any length. " +
			"It ends with the events accepted when it began. If it breaks off, the connection does too; " +
			"go on with `from`. In CSV, a cell that a spreadsheet would take for a formula has an apostrophe in front.",
		sample: "tenant=acme&since=2026-03-01T00:00:00Z&format=csv",
	}
	handle(r, at, s.exportEvents)
	r.describeExport(at)
}

// describeExport says what huma cannot know of a stream.
func (r *routes) describeExport(at route) {
	schema := huma.SchemaFromType(r.api.OpenAPI().Components.Schemas, reflect.TypeFor[exportRowJSON]())
	r.api.OpenAPI().Paths[at.path].Get.Responses["200"].Content = map[string]*huma.MediaType{
		ndjsonType: {Schema: schema}, csvType: {Schema: &huma.Schema{Type: huma.TypeString}},
	}
}

// exportEvents answers with the stream once it has the first page, so that what
// goes wrong at once is told as usual.
func (s *server) exportEvents(ctx context.Context, input *exportInput) (*huma.StreamResponse, error) {
	ex, err := s.newExport(ctx, input)
	if err != nil {
		return nil, err
	}
	if err := ex.nextEvents(ctx); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) { s.stream(c, ex) }}, nil
}

func (s *server) newExport(ctx context.Context, input *exportInput) (*export, error) {
	tenant, err := caller(ctx).tenantNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	if err := checkFilters(input.Type, input.Since, input.Until); err != nil {
		return nil, err
	}
	ex := &export{history: s.History, format: input.Format, filter: EventFilter{
		Tenant: tenant, Type: input.Type, Since: input.Since.Time, Until: input.Until.Time, Limit: exportEvents,
	}}
	if input.Endpoint != "" {
		if ex.endpoint, err = idIn("endpoint", delivery.EndpointPrefix, input.Endpoint); err != nil {
			return nil, err
		}
	}
	if input.From != "" {
		from, err := idIn("from", delivery.EventPrefix, input.From)
		if err != nil {
			return nil, err
		}
		ex.filter.After = from.Before()
	}
	if now := time.Now(); ex.filter.Until.IsZero() || now.Before(ex.filter.Until) {
		ex.filter.Until = now // what comes meanwhile would make it endless
	}
	return ex, nil
}

// stream writes page by page. Between two pages it holds nothing of the database;
// a client that does not take a page in time is cut off, and so is one that cannot
// be given the rest: it must not take a part for the whole.
func (s *server) stream(c huma.Context, ex *export) {
	r, w := humago.Unwrap(c)
	c.SetHeader("Content-Type", ex.contentType())
	c.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "events-"+ex.filter.Tenant+"."+ex.format))
	c.SetStatus(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	if err := s.writeExport(c.Context(), w, ex); err != nil {
		s.log.WarnContext(c.Context(), "an export broke off", "tenant", ex.filter.Tenant, "error", err)
		panic(http.ErrAbortHandler)
	}
}

func (s *server) writeExport(ctx context.Context, w http.ResponseWriter, ex *export) error {
	control, out := http.NewResponseController(w), ex.rowWriter(w)
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }() // the connection may serve others
	for {
		rows, err := ex.nextRows(ctx)
		if err != nil {
			return err
		}
		_ = control.SetWriteDeadline(time.Now().Add(pageTime)) // tests, and callers in process, have connections without
		if err := out.write(rows); err != nil {
			return fmt.Errorf("the client is gone: %w", err)
		}
		_ = control.Flush()
		if rows == nil {
			return nil
		}
	}
}

// jsonRows writes a JSON object per line.
type jsonRows struct{ encoder *json.Encoder }

func newJSONRows(w io.Writer) jsonRows {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return jsonRows{encoder}
}

func (j jsonRows) write(rows []exportRowJSON) error {
	for i := range rows {
		if err := j.encoder.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}
