package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
)

// newKey makes an idempotency key that nobody else makes.
func newKey() string { return "go-" + rand.Text() }

// create sends what makes something, with the caller's idempotency key or one of
// its own, so that it can be sent again.
func create[T any](ctx context.Context, c *Client, path, key string, body any) (made T, err error) {
	request := Request{Method: http.MethodPost, Path: path, IdempotencyKey: cmp.Or(key, newKey())}
	if request.Body, err = encode(body); err != nil {
		return made, err
	}
	return Do[T](ctx, c, request)
}

// get reads one thing.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return Do[T](ctx, c, Request{Method: http.MethodGet, Path: path})
}

// change sends a patch, once.
func change[T any](ctx context.Context, c *Client, path string, body any) (changed T, err error) {
	request := Request{Method: http.MethodPatch, Path: path}
	if request.Body, err = encode(body); err != nil {
		return changed, err
	}
	return Do[T](ctx, c, request)
}

// remove deletes, once.
func remove(ctx context.Context, c *Client, request Request) error {
	request.Method = http.MethodDelete
	_, err := c.Call(ctx, request)
	return err
}

func encode(body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, &ArgumentError{"the request", "cannot be written as JSON: " + err.Error()}
	}
	return text, nil
}
