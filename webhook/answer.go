package webhook

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// The codes of problems besides the Reasons of Verify.
const (
	codeMethod     = "method_not_allowed"
	codeTooLarge   = "body_too_large"
	codeUnreadable = "body_unreadable"
	codeBusy       = "in_progress"
	codeStore      = "store_unavailable"
	codeFailed     = "handler_failed"
)

// details are the sentences for the sender; a VerifyError brings its own.
var details = map[string]string{
	codeMethod:     "send webhooks with POST",
	codeTooLarge:   "the body is larger than this receiver accepts",
	codeUnreadable: "the body broke off: send as many bytes as Content-Length says",
	codeBusy:       "an earlier request with this webhook-id is still being handled: send it again later",
	codeStore:      "the receiver cannot tell whether it has seen this webhook-id: send it again later",
	codeFailed:     "the receiver could not handle the webhook",
}

var errMethod = errors.New("webhook: not a POST request")

// retrySoon is how long a sender should wait for another request to finish.
const retrySoon = 5 * time.Second

// An answer is what the sender gets, and what the observer learns.
type answer struct {
	outcome    Outcome
	status     int
	code       string
	detail     string // when details has none for the code
	retryAfter time.Duration
	err        error // for the observer, not for the sender
}

func refuseBody(err error) answer {
	a := answer{outcome: OutcomeRefused, status: http.StatusBadRequest, code: codeUnreadable, err: err}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		a.status, a.code = http.StatusRequestEntityTooLarge, codeTooLarge
	}
	return a
}

func refuseVerify(err error) answer {
	a := answer{outcome: OutcomeRefused, status: http.StatusUnauthorized, err: err}
	if refused := (*VerifyError)(nil); errors.As(err, &refused) {
		a.code, a.detail = string(refused.Reason), refused.sentence()
		if refused.Reason == ReasonMissingHeader || refused.Reason == ReasonMalformed {
			a.status = http.StatusBadRequest
		}
	}
	return a
}

func failed(err error) answer {
	a := answer{outcome: OutcomeFailed, status: http.StatusInternalServerError, code: codeFailed, err: err}
	if chosen := (*StatusError)(nil); errors.As(err, &chosen) {
		a.retryAfter = chosen.RetryAfter
		if chosen.Status >= 400 && chosen.Status <= 599 {
			a.status = chosen.Status
		}
	}
	return a
}

func (a answer) write(w http.ResponseWriter, id string) {
	if a.retryAfter > 0 {
		seconds := int64(math.Ceil(a.retryAfter.Seconds()))
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	if a.code == codeMethod {
		w.Header().Set("Allow", http.MethodPost)
	}
	detail := cmp.Or(a.detail, details[a.code])
	body := any(problem{"about:blank", http.StatusText(a.status), a.status, detail, a.code})
	contentType := "application/problem+json"
	if a.status == http.StatusOK {
		body, contentType = receipt{id, a.outcome == OutcomeDuplicate}, "application/json"
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(body) // the sender may be gone; the status is what counts
}

// problem is RFC 9457's object with the stable code that Malote adds everywhere.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
}

type receipt struct {
	ID        string `json:"id"`
	Duplicate bool   `json:"duplicate"`
}
