package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// httpClient is what calls are made with.
type httpClient = *http.Client

// callTime bounds every call.
const callTime = 30 * time.Second

// newHTTPClient keeps a connection for each of n who call at once.
func newHTTPClient(n int) httpClient {
	return &http.Client{Timeout: callTime, Transport: &http.Transport{
		MaxIdleConns: n, MaxIdleConnsPerHost: n, IdleConnTimeout: time.Minute,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
	}}
}

// post makes one call of the API and fails unless it succeeds.
func post(ctx context.Context, client httpClient, url, body string) ([]byte, error) {
	return call(ctx, client, url, body, http.Header{"Authorization": {"Bearer " + adminKey}})
}

func call(ctx context.Context, client httpClient, url, body string, header http.Header) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err // it names method, URL and cause
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s answered %d: %s", url, response.StatusCode, answer)
	}
	return answer, err
}
