package pipeline

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// secret signs everything: one is as much work as many.
var secret = []byte("bench-secret-of-all-endpoints-01")

func newID() string { return "evt_" + rand.Text() }

// envelope is Malote's default one.
func envelope(eventType string, at time.Time, data json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"type":%q,"timestamp":%q,"data":%s}`, eventType, at.UTC().Format("2006-01-02T15:04:05.000Z"), data)
}

type sender struct{ client *http.Client }

// connections is how many are kept for each endpoint.
const connections = 256

func newSender() *sender {
	return &sender{&http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{
		MaxIdleConns: 4 * connections, MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute, DisableCompression: true,
	}}}
}

// send POSTs an event with the headers of Standard Webhooks.
func (s *sender) send(ctx context.Context, e Event) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(e.Body))
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", e.ID, at, e.Body) // a hash never fails
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Webhook-Id", e.ID)
	request.Header.Set("Webhook-Timestamp", at)
	request.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	response, err := s.client.Do(request)
	if err != nil {
		return fmt.Errorf("sending: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s answered %d", e.URL, response.StatusCode)
	}
	return nil
}
