package client

import (
	"context"
	"net/http"
)

// MaxReplay is how many deliveries [Client.ReplayDeliveries] takes at once.
const MaxReplay = 50

// Replayed is what becomes, or would become, of a delivery that is to be sent
// again.
type Replayed struct {
	ID         string `json:"id"`
	EventID    string `json:"event_id"`
	EndpointID string `json:"endpoint_id"`
	URL        string `json:"url"`     // where it goes: the endpoint's at this moment
	State      State  `json:"state"`   // that it was found in
	Refusal    string `json:"refusal"` // "": it can be; else not_found, not_replayable, no_endpoint, endpoint_deleted, endpoint_disabled, may_have_arrived, superseded or event_expired
	Detail     string `json:"detail"`  // the refusal in a sentence
}

type replayJSON struct {
	IDs     []string `json:"ids"`
	Preview bool     `json:"preview,omitempty"`
}

// ReplayDelivery sends a delivery again: the same event with the same bytes, to
// the endpoint's URL at this moment, in a new cycle of attempts. Where that is
// not possible, the error has the code CodeDeliveryNotReplayable. It is sent once.
func (c *Client) ReplayDelivery(ctx context.Context, id string) (Replayed, error) {
	return Do[Replayed](ctx, c, Request{Method: http.MethodPost, Path: deliveriesPath + Path(id, "replay")})
}

// ReplayDeliveries sends up to [MaxReplay] deliveries again, as ReplayDelivery
// does: all or, if one is refused or is not there, none, and Error.Faults says
// which. The results are in the order of the ids. It is sent once.
func (c *Client) ReplayDeliveries(ctx context.Context, ids []string) ([]Replayed, error) {
	return c.replay(ctx, replayJSON{IDs: ids})
}

// PreviewReplay says what ReplayDeliveries would do, and changes nothing.
func (c *Client) PreviewReplay(ctx context.Context, ids []string) ([]Replayed, error) {
	return c.replay(ctx, replayJSON{IDs: ids, Preview: true})
}

func (c *Client) replay(ctx context.Context, asked replayJSON) ([]Replayed, error) {
	body, err := encode(asked)
	if err != nil {
		return nil, err
	}
	results, err := Do[struct{ Data []Replayed }](ctx, c, Request{
		Method: http.MethodPost, Path: deliveriesPath + "/replay", Body: body, Repeatable: asked.Preview,
	})
	return results.Data, err
}

// ResolveDelivery closes a dead delivery of which nothing needs to be sent any
// more. The reason, 10 to 1,000 characters, is kept with it. It is sent once.
func (c *Client) ResolveDelivery(ctx context.Context, id, reason string) error {
	body, err := encode(map[string]string{"reason": reason})
	if err != nil {
		return err
	}
	_, err = c.Call(ctx, Request{Method: http.MethodPost, Path: deliveriesPath + Path(id, "resolve"), Body: body})
	return err
}
