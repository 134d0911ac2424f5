package client

import (
	"context"
	"time"
)

// Secret is one of the secrets that sign an endpoint's deliveries.
type Secret struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"` // when it stops signing; zero: when it is revoked
	Value     string    `json:"value"`      // only in the answer to its creation; nobody can read it again
}

// NewSecret is a secret to be added.
type NewSecret struct {
	Value string `json:"value,omitempty"` // one of your own, whsec_… or whsk_…; "": one is made

	IdempotencyKey string `json:"-"` // see the package's documentation; "": the call makes one
}

// Rotation is a secret that takes the place of those that are there.
type Rotation struct {
	Value   string         // one of your own, whsec_… or whsk_…; "": one is made
	Overlap *time.Duration // how long the old ones go on signing beside it, up to 720 hours; nil: 24 hours

	IdempotencyKey string // see the package's documentation; "": the call makes one
}

type rotationJSON struct {
	Value   string `json:"value,omitempty"`
	Overlap string `json:"overlap,omitempty"`
}

func secretsPath(endpoint string) string { return endpointsPath + Path(endpoint, "secrets") }

// Secrets lists the secrets that sign an endpoint's deliveries, newest first,
// without their values.
func (c *Client) Secrets(ctx context.Context, endpoint string) ([]Secret, error) {
	all, err := get[Page[Secret]](ctx, c, secretsPath(endpoint))
	return all.Data, err
}

// AddSecret adds a secret, which signs beside those that are there, at once. When
// the answer to the first try got lost, Value is empty: revoke it, and add
// another.
func (c *Client) AddSecret(ctx context.Context, endpoint string, secret NewSecret) (Secret, error) {
	return create[Secret](ctx, c, secretsPath(endpoint), secret.IdempotencyKey, secret)
}

// RotateSecret adds a secret, and lets all older ones expire after the overlap, in
// which all of them sign. As with [Client.AddSecret], Value may be empty.
func (c *Client) RotateSecret(ctx context.Context, endpoint string, rotation Rotation) (Secret, error) {
	body := rotationJSON{Value: rotation.Value}
	if rotation.Overlap != nil {
		body.Overlap = rotation.Overlap.String()
	}
	return create[Secret](ctx, c, secretsPath(endpoint)+"/rotate", rotation.IdempotencyKey, body)
}

// RevokeSecret has a secret stop signing at once. Without any secret nothing is
// sent to the endpoint. It is sent once.
func (c *Client) RevokeSecret(ctx context.Context, endpoint, secret string) error {
	return remove(ctx, c, Request{Path: secretsPath(endpoint) + Path(secret)})
}
