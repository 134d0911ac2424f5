package gaprepair

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RoundTrip is the provider's API.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.meanwhile("request")
	w.mu.Lock()
	w.requests = append(w.requests, r)
	if w.now.Before(w.quiet) {
		w.hammered++
	}
	w.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Header.Get("Authorization") != "Bearer "+secretToken {
		return w.answer(http.StatusUnauthorized, nil, ""), nil
	}
	if w.fault != nil {
		if response := w.fault(r); response != nil {
			return response, nil
		}
	}
	response := w.serve(r)
	if w.lost != nil && w.lost(r) {
		return nil, errors.New("connection reset by peer")
	}
	w.meanwhile("answered")
	return response, nil
}

func (w *world) answer(status int, header http.Header, body string) *http.Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	recorder := httptest.NewRecorder()
	for name := range header {
		recorder.Header().Set(name, header.Get(name))
	}
	recorder.Header().Set("Date", w.now.UTC().Format(http.TimeFormat))
	recorder.WriteHeader(status)
	_, _ = recorder.WriteString(body)
	return recorder.Result()
}

func (w *world) serve(r *http.Request) *http.Response {
	const hook = "/repos/octo/cat/hooks/7/deliveries"
	switch {
	case r.Method == http.MethodGet && r.URL.Host == "api.stripe.com" && r.URL.Path == "/v1/events":
		return w.serveStripe(r)
	case r.Method == http.MethodGet && r.URL.Path == hook:
		return w.serveGitHub(r)
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, hook+"/"):
		return w.serveAttempt(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, hook+"/"), "/attempts"))
	}
	return w.answer(http.StatusNotFound, nil, "")
}

// newest is the list as both providers show it.
func (w *world) newest() []*sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.list)
	slices.SortStableFunc(list, func(a, b *sent) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return int(b.id - a.id)
	})
	return list
}

func (w *world) serveStripe(r *http.Request) *http.Response {
	query := r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	since, _ := strconv.ParseInt(query.Get("created[gte]"), 10, 64)
	list := w.newest()
	if after := query.Get("starting_after"); after != "" {
		at := slices.IndexFunc(list, func(one *sent) bool { return one.key == after })
		if at < 0 {
			return w.answer(http.StatusBadRequest, nil, `{"error":{"code":"resource_missing"}}`)
		}
		list = list[at+1:]
	}
	list = slices.DeleteFunc(list, func(one *sent) bool { return one.at.Unix() < since })
	page := list[:min(limit, len(list))]
	var body bytes.Buffer
	body.WriteString("{\"object\": \"list\", \"url\": \"/v1/events\",\n \"data\": [")
	for i, one := range page {
		if i > 0 {
			body.WriteString(", ")
		}
		body.WriteString(one.body)
	}
	fmt.Fprintf(&body, "],\n\"has_more\": %t}", len(list) > len(page))
	return w.answer(http.StatusOK, nil, body.String())
}

func (w *world) serveGitHub(r *http.Request) *http.Response {
	query := r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("per_page"))
	list := w.newest()
	if cursor := query.Get("cursor"); cursor != "" {
		at := slices.IndexFunc(list, func(one *sent) bool { return "v1_"+strconv.FormatInt(one.id, 10) == cursor })
		if at < 0 {
			return w.answer(http.StatusUnprocessableEntity, nil, "")
		}
		list = list[at:]
	}
	header := http.Header{}
	if len(list) > limit {
		header.Set("Link", fmt.Sprintf(`<https://elsewhere.example/x?cursor=v0_1>; rel="prev", <https://elsewhere.example/hooks?per_page=%d&cursor=v1_%d>; rel="next"`, limit, list[limit].id))
		list = list[:limit]
	}
	shown := make([]map[string]any, len(list))
	for i, one := range list {
		shown[i] = map[string]any{
			"id": one.id, "guid": one.key, "delivered_at": one.at.Format(time.RFC3339), "redelivery": one.redelivery,
			"status": "OK", "status_code": 200, "event": "push", "action": nil,
		}
	}
	body, err := json.Marshal(shown)
	if err != nil {
		panic(err)
	}
	return w.answer(http.StatusOK, header, string(body))
}

// serveAttempt sends a delivery again: its webhook comes to the door.
func (w *world) serveAttempt(id string) *http.Response {
	w.mu.Lock()
	at := slices.IndexFunc(w.list, func(one *sent) bool { return strconv.FormatInt(one.id, 10) == id })
	if at < 0 || w.now.Sub(w.list[at].at) > 72*time.Hour {
		w.mu.Unlock()
		return w.answer(http.StatusUnprocessableEntity, nil, "")
	}
	one := w.list[at]
	w.asks[one.key]++
	w.list = append(w.list, &sent{id: int64(len(w.list) + 1), key: one.key, at: w.now, body: one.body, redelivery: true})
	if !w.doorIsShut {
		w.take(one.key, one.body, "door")
	}
	w.mu.Unlock()
	return w.answer(http.StatusAccepted, nil, "{}")
}
