package ingest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// answer is what a sender is told.
type answer struct {
	response source.Response

	reason     source.Reason // why it was turned away; empty: it was not
	detail     string        // for whoever runs the source, never for the sender
	retryAfter time.Duration // 0: nothing is said
	hangUp     bool          // what is left of the body is not waited for
}

// When to come again after a 503.
const (
	soon  = 2 * time.Second  // this passes by itself
	later = 60 * time.Second // somebody has to do something
)

// turnedAway is the answer for one of the door's own reasons.
func turnedAway(reason source.Reason, detail string) *answer {
	a := &answer{response: problem(statusOf(reason), string(reason)), reason: reason, detail: detail}
	if reason == Overloaded {
		a.hangUp = true // net/http waits for the body before it sends an answer
	}
	switch reason {
	case Overloaded, StorageUnavailable, FetchFailed:
		a.retryAfter = soon
	case SourcePaused, SettingsUnreadable:
		a.retryAfter = later
	case BodyTooLarge, BodyIncomplete, BodyTooSlow:
		a.hangUp = true
	}
	return a
}

// notGenuine is the answer to a request that was not accepted. The sender learns
// the result and no more: what exactly was wrong with a signature helps those who
// guess.
func notGenuine(v source.Verdict, provider *source.Provider) *answer {
	status := statusOfVerdict(v)
	code := string(v.Result)
	if status == http.StatusServiceUnavailable {
		code = "not_set_up"
	}
	a := &answer{response: problem(status, code), reason: v.Reason, detail: v.Detail}
	switch status {
	case http.StatusServiceUnavailable:
		a.retryAfter = later
	case http.StatusUnauthorized: // RFC 9110 section 11.6.1
		a.response.Header = source.Header{{Name: "WWW-Authenticate", Value: challengeOf(provider)}}
	}
	if v.Result == source.Stale {
		a.detail = "off by " + v.Skew.String()
	}
	return a
}

// challengeOf matters where the provider has a password: some clients send it
// only when asked for it.
func challengeOf(provider *source.Provider) string {
	for _, name := range provider.Headers {
		if strings.EqualFold(name, "Authorization") {
			return `Basic realm="malote"`
		}
	}
	return "Signature"
}

// problem is a small document of RFC 9457.
func problem(status int, code string) source.Response {
	body, err := json.Marshal(struct {
		Title  string `json:"title"`
		Status int    `json:"status"`
		Code   string `json:"code"`
	}{http.StatusText(status), status, code})
	if err != nil {
		panic("ingest: a problem of three plain members cannot be encoded: " + err.Error())
	}
	return source.Response{Status: status, ContentType: "application/problem+json", Body: string(body) + "\n"}
}

// receipt is the answer to what is committed. The provider's own form wins; where
// it has none the body says which events there are. batch: the provider's request
// may hold several events.
func receipt(form source.Response, results []publish.Result, batch bool) *answer {
	if form.Body == "" && form.Status != http.StatusNoContent {
		form.ContentType = "application/json"
		form.Body = string(told(results, batch))
	}
	return &answer{response: form}
}

// told is {"id","duplicate"}, or the list of ids of a batch, which is a duplicate
// when nothing of it was new. Events that the source's filter left out have no id.
func told(results []publish.Result, batch bool) []byte {
	switch {
	case len(results) == 0:
		return []byte(`{"id":null,"duplicate":false,"filtered":true}` + "\n")
	case !batch:
		body := append([]byte(`{"id":"`), results[0].ID.Format(delivery.EventPrefix)...)
		return append(strconv.AppendBool(append(body, `","duplicate":`...), results[0].Duplicate), "}\n"...)
	}
	body := []byte(`{"ids":[`)
	duplicates := 0
	for i, result := range results {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(append(append(body, '"'), result.ID.Format(delivery.EventPrefix)...), '"')
		if result.Duplicate {
			duplicates++
		}
	}
	body = strconv.AppendBool(append(body, `],"duplicate":`...), duplicates == len(results))
	return append(strconv.AppendInt(append(body, `,"duplicates":`...), int64(duplicates), 10), "}\n"...)
}

// write sends the answer. The sender may have gone, which changes nothing.
func (a *answer) write(w http.ResponseWriter) {
	header := w.Header()
	for _, field := range a.response.Header {
		header.Add(field.Name, field.Value)
	}
	if a.response.ContentType != "" {
		header.Set("Content-Type", a.response.ContentType)
	} else {
		header["Content-Type"] = nil // nothing is guessed
	}
	header.Set("Cache-Control", "no-store")
	// Some of what is said comes from a sender or a source's settings, and browsers
	// find this address on the origin of the API: nothing here is ever a page.
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if a.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int((a.retryAfter+time.Second-1)/time.Second)))
	}
	if a.hangUp {
		header.Set("Connection", "close")
	}
	if a.response.Status != http.StatusNoContent {
		header.Set("Content-Length", strconv.Itoa(len(a.response.Body)))
	}
	w.WriteHeader(a.response.Status)
	_, _ = w.Write([]byte(a.response.Body))
}
