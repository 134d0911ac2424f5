package app_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

const providerSecret = "it is a secret between the two of us"

// gitHub sends one of GitHub's webhooks to a source.
func gitHub(client *http.Client, url, guid string, body []byte) (status int, answer map[string]any, err error) {
	mac := hmac.New(sha256.New, []byte(providerSecret))
	mac.Write(body)
	request, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	request.Header.Set("X-GitHub-Delivery", guid)
	request.Header.Set("X-GitHub-Event", "push")
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, err
	}
	_ = json.Unmarshal(raw, &answer) // a refusal need not be JSON
	return response.StatusCode, answer, nil
}

func (s *server) source(tenant, provider string) (path string) {
	s.t.Helper()
	made := s.must(201, "POST", "/v1/sources", map[string]any{
		"tenant": tenant, "name": provider, "provider": provider, "secrets": []string{providerSecret},
	})
	return "/in/" + made["id"].(string)
}

// TestDoor_AProvidersWebhookReachesTheConsumerByteForByte.
func TestDoor_AProvidersWebhookReachesTheConsumerByteForByte(t *testing.T) {
	t.Parallel()
	consumer := newLedger(t, noContent)
	s := start(t, testOptions(pgtest.DSN(t)))
	s.endpoint("acme", consumer.URL, nil)
	path := s.source("acme", "github")
	body := []byte("{\"n\": 12345678901234567890,\n \"nul\":\"\\u0000\", \"e\": 1.50}")
	status, first, err := gitHub(http.DefaultClient, s.url+path, "guid-1", body)
	require.NoError(t, err)
	require.Equal(t, 200, status, first)
	require.Equal(t, false, first["duplicate"])
	status, again, err := gitHub(http.DefaultClient, s.url+path, "guid-1", []byte(`{"other":"words"}`))
	require.NoError(t, err)
	require.Equal(t, 200, status)
	require.Equal(t, map[string]any{"id": first["id"], "duplicate": true}, again)
	s.awaitStates("acme", map[string]int{"delivered": 1})
	arrived := consumer.arrivals()[0]
	require.Equal(t, body, arrived.body)
	require.Equal(t, "push", arrived.header.Get("X-GitHub-Event"))
	require.Equal(t, path, "/in/"+arrived.header.Get("webhook-source"))
	require.Empty(t, arrived.header.Get("X-Hub-Signature-256"))

	request, err := http.NewRequest("POST", s.url+path, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(make([]byte, 32)))
	request.Header.Set("X-GitHub-Delivery", "guid-2")
	request.Header.Set("X-GitHub-Event", "push")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Eventually(t, func() bool {
		_, page := s.call("GET", "/v1/sources/"+path[len("/in/"):]+"/rejections", nil)
		rows, _ := page["data"].([]any)
		return len(rows) == 1 && rows[0].(map[string]any)["reason"] != ""
	}, 20*time.Second, 100*time.Millisecond)
}

// TestGateway_G01_TwentyFourAtOnceAreOneEvent: each round, 24 senders with a
// connection each send the same webhook at once to two processes.
func TestGateway_G01_TwentyFourAtOnceAreOneEvent(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	consumer := newLedger(t, noContent)
	first := start(t, testOptions(dsn))
	second, _ := startChild(t, dsn)
	first.endpoint("acme", consumer.URL+"/a", nil)
	first.endpoint("acme", consumer.URL+"/b", nil)
	path := first.source("acme", "github")
	const rounds, senders = 40, 24
	clients := make([]*http.Client, senders)
	for i := range clients {
		clients[i] = &http.Client{Transport: &http.Transport{}}
		t.Cleanup(clients[i].CloseIdleConnections)
	}
	for round := range rounds {
		ids, duplicates, again := make(map[string]int), 0, 0
		var mu sync.Mutex
		var group sync.WaitGroup
		begin := make(chan struct{})
		for i, client := range clients {
			url := []string{first.url, second.url}[i%2] + path
			group.Go(func() {
				<-begin
				status, answer, err := gitHub(client, url, fmt.Sprintf("guid-%d", round), []byte(`{"round":1}`))
				for err == nil && status == http.StatusServiceUnavailable { // a busy machine: the provider tries again
					mu.Lock()
					again++
					mu.Unlock()
					status, answer, err = gitHub(client, url, fmt.Sprintf("guid-%d", round), []byte(`{"round":1}`))
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil || status != 200 {
					t.Errorf("round %d: %d %v %v", round, status, answer, err)
					return
				}
				ids[answer["id"].(string)]++
				if answer["duplicate"] == true {
					duplicates++
				}
			})
		}
		close(begin)
		group.Wait()
		require.Len(t, ids, 1, "round %d", round)
		if again == 0 {
			require.Equal(t, senders-1, duplicates, "round %d", round)
		} else { // the first may have been told nothing of what it committed
			require.GreaterOrEqual(t, duplicates, senders-1, "round %d", round)
		}
	}
	require.Len(t, first.must(200, "GET", "/v1/events?tenant=acme&limit=250", nil)["data"], rounds)
	first.awaitStates("acme", map[string]int{"delivered": 2 * rounds})
}

// TestDoor_Kill9_NoReceiptWithoutItsEvent kills the process that ingests under
// senders who retry as providers do: every 200 that one saw has its event, and no
// event is there twice.
func TestDoor_Kill9_NoReceiptWithoutItsEvent(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	keeper := start(t, testOptions(dsn)) // answers questions, and lives
	keeper.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	const kills, senders, perSender = 4, 12, 25
	provider := newSender(keeper.source("acme", "github"))
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	var group sync.WaitGroup
	for n := range senders {
		group.Go(func() {
			for i := range perSender {
				provider.send(ctx, fmt.Sprintf("guid-%d-%d", n, i), fmt.Appendf(nil, `{"n":%d,"i":%d}`, n, i))
			}
		})
	}
	for range kills {
		victim, kill := startChild(t, dsn)
		provider.set(func() { provider.url = victim.url })
		provider.await(t, min(provider.count()+senders*perSender/(kills+2), senders*perSender))
		kill()
	}
	last, _ := startChild(t, dsn)
	provider.set(func() { provider.url = last.url })
	group.Wait()
	require.NoError(t, ctx.Err())
	require.Equal(t, senders*perSender, provider.count())
	provider.requireExact(t, keeper)
}
