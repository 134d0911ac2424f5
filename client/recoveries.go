package client

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// RecoveryStatus says how a recovery is doing.
type RecoveryStatus string

// The statuses of recoveries.
const (
	RecoveryRunning   RecoveryStatus = "running"
	RecoveryDone      RecoveryStatus = "done"
	RecoveryCancelled RecoveryStatus = "cancelled"
	RecoveryFailed    RecoveryStatus = "failed" // see Detail
)

// Recovery is a job of Malote's that delivers again what an endpoint missed in a
// span of time. It goes on by itself and survives restarts.
type Recovery struct {
	ID         string         `json:"id"` // "": a preview
	EndpointID string         `json:"endpoint_id"`
	Status     RecoveryStatus `json:"status"` // "": a preview
	Detail     string         `json:"detail"` // why it failed
	Since      time.Time      `json:"since"`
	Until      time.Time      `json:"until"` // zero: the present
	States     []State        `json:"states"`
	Total      int            `json:"total"`       // deliveries of the span when it began, as far as they could be counted in a few seconds
	Recovered  int            `json:"recovered"`   // that went back into the queue so far
	PassedOver int            `json:"passed_over"` // that were left alone: replayed or replaced meanwhile, or no longer kept
	CreatedAt  time.Time      `json:"created_at"`  // zero: a preview
	UpdatedAt  time.Time      `json:"updated_at"`
	EndedAt    time.Time      `json:"ended_at"` // zero: it has not
}

// NewRecovery says what is to be delivered again.
type NewRecovery struct {
	Since  time.Time // from the events accepted then on; required
	Until  time.Time // up to, and not including, those accepted then; zero: the present
	States []State   // of StateSkipped, StateDead and StateDiscarded; empty: skipped and dead

	IdempotencyKey string // see the package's documentation; "": the call makes one
}

type newRecoveryJSON struct {
	Since  string  `json:"since"`
	Until  string  `json:"until,omitempty"`
	States []State `json:"states,omitempty"`
	DryRun bool    `json:"dry_run,omitempty"`
}

const recoveriesPath = "/v1/recoveries"

// StartRecovery begins to deliver again what an endpoint missed, at the pace that
// the endpoint bears. Only one recovery of an endpoint runs at a time. It may take
// [LongTimeout] to begin.
func (c *Client) StartRecovery(ctx context.Context, endpoint string, recovery NewRecovery) (Recovery, error) {
	return c.recover(ctx, endpoint, recovery, false)
}

// PreviewRecovery says in Total how many deliveries StartRecovery would find, and
// changes nothing. It may take [LongTimeout].
func (c *Client) PreviewRecovery(ctx context.Context, endpoint string, recovery NewRecovery) (Recovery, error) {
	return c.recover(ctx, endpoint, recovery, true)
}

func (c *Client) recover(ctx context.Context, endpoint string, asked NewRecovery, preview bool) (Recovery, error) {
	body, err := encode(newRecoveryJSON{Since: instant(asked.Since), Until: instant(asked.Until), States: asked.States, DryRun: preview})
	if err != nil {
		return Recovery{}, err
	}
	return Do[Recovery](ctx, c, Request{
		Method: http.MethodPost, Path: endpointsPath + Path(endpoint, "recover"), Body: body, IdempotencyKey: cmp.Or(asked.IdempotencyKey, newKey()), Timeout: c.long(),
	})
}

// Recovery reads one recovery, with its progress.
func (c *Client) Recovery(ctx context.Context, id string) (Recovery, error) {
	return get[Recovery](ctx, c, recoveriesPath+Path(id))
}

// CancelRecovery stops a recovery. What it has queued stays queued.
func (c *Client) CancelRecovery(ctx context.Context, id string) (Recovery, error) {
	return Do[Recovery](ctx, c, Request{Method: http.MethodPost, Path: recoveriesPath + Path(id, "cancel"), Repeatable: true})
}

// Recoveries goes through all recoveries of an endpoint, newest first.
func (c *Client) Recoveries(ctx context.Context, endpoint string) iter.Seq2[Recovery, error] {
	return List[Recovery](ctx, c, endpointsPath+Path(endpoint, "recoveries"), Paging{}.into(url.Values{}))
}

// RecoveryPage reads one page of them.
func (c *Client) RecoveryPage(ctx context.Context, endpoint string, paging Paging) (Page[Recovery], error) {
	return Do[Page[Recovery]](ctx, c, Request{
		Method: http.MethodGet, Path: endpointsPath + Path(endpoint, "recoveries"), Query: paging.into(url.Values{}),
	})
}
