package source

import (
	"encoding/json"
	"strings"
)

// A Judgement is what malote verify says of a record, one line of JSON.
type Judgement struct {
	Verdict Result  `json:"verdict"`
	Reason  string  `json:"reason"` // a sentence
	Code    Reason  `json:"code"`
	ID      *string `json:"event_id"`
	Type    *string `json:"event_type"`
	// Secret is the name of the one that matched.
	Secret string `json:"secret,omitempty"`
	// Items are a batch's events.
	Items []JudgedItem `json:"items,omitempty"`
	// Response is the answer that the provider needs, when not any 2xx will do.
	Response *JudgedResponse `json:"response,omitempty"`
	// Fetch is what is missing to verify.
	Fetch string `json:"fetch,omitempty"`
}

// JudgedItem is one event of a batch.
type JudgedItem struct {
	ID     string `json:"event_id"`
	Type   string `json:"event_type"`
	Dedupe string `json:"dedupe"`
}

// JudgedResponse is an answer.
type JudgedResponse struct {
	Status      int               `json:"status"`
	ContentType string            `json:"content_type,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Body        string            `json:"body"`
	JSON        json.RawMessage   `json:"json,omitempty"`     // the body, if it is JSON
	ThenGet     string            `json:"then_get,omitempty"` // what completes the handshake
}

// UnknownProvider is the code for a record whose provider there is none of.
const UnknownProvider Reason = "unknown_provider"

// Verify judges the record: Verify of its provider, with the material for what
// would be fetched. fetched says whether anything would be.
func (r Record) Verify() (v Verdict, fetched bool, known bool) {
	provider, known := Lookup(r.Provider)
	if !known {
		return Verdict{Result: Malformed, Reason: UnknownProvider}, false, false
	}
	v = provider.Verify(r.Request, r.Secrets, r.Options, r.Now)
	if v.Reason != KeyNeeded || len(r.Material) == 0 {
		return v, v.Reason == KeyNeeded, true
	}
	r.Options.Fetched = map[string][]byte{v.Fetch.Key: r.Material}
	return provider.Verify(r.Request, r.Secrets, r.Options, r.Now), true, true
}

// Judge says of a record what Verify found.
func (r Record) Judge() Judgement {
	v, _, known := r.Verify()
	j := Judgement{Verdict: v.Result, Code: v.Reason, Secret: v.Secret, Reason: v.Explain()}
	if !known {
		j.Reason = "there is no provider of that name: " + strings.Join(names(), ", ")
		return j
	}
	provider, _ := Lookup(r.Provider)
	if v.Accepted() {
		j.ID, j.Type = given(v.ID), given(v.Type)
	}
	if len(v.Items) > 1 {
		for _, item := range v.Items {
			j.Items = append(j.Items, JudgedItem{item.ID, item.Type, item.Dedupe})
		}
	}
	if v.Result == Challenge || v.Result == OK && provider.Success.Status != 0 {
		j.Response = judgedResponse(v)
	}
	if v.Reason == KeyNeeded {
		j.Fetch = v.Fetch.URL
	}
	return j
}

func judgedResponse(v Verdict) *JudgedResponse {
	r := &JudgedResponse{Status: v.Response.Status, ContentType: v.Response.ContentType, Body: v.Response.Body}
	for _, field := range v.Response.Header {
		if r.Headers == nil {
			r.Headers = make(map[string]string)
		}
		r.Headers[field.Name] = field.Value
	}
	if r.ContentType == "application/json" {
		r.JSON = json.RawMessage(r.Body)
	}
	if v.Fetch != nil {
		r.ThenGet = v.Fetch.URL
	}
	return r
}

func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func names() []string {
	list := make([]string, len(providers))
	for i, p := range providers {
		list[i] = p.Name
	}
	return list
}
