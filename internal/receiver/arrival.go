package receiver

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/webhook"
)

// Verdict is what a receiver thinks of a request.
type Verdict string

// The verdicts.
const (
	Verified   Verdict = "verified"
	Unverified Verdict = "unverified" // there is no secret to verify with
	Refused    Verdict = "refused"    // not a POST, broken off, or over the limit
	Forged     Verdict = "forged"     // the signature does not hold, or not now
)

// Genuine says whether the request is treated as a webhook.
func (v Verdict) Genuine() bool { return v == Verified || v == Unverified }

// NoLatency is the Latency of what has none.
const NoLatency = time.Duration(-1)

// Arrival is one request.
type Arrival struct {
	At      time.Time // when the whole request was there
	Verdict Verdict
	Err     error // why it is not genuine; its text says what to do

	ID      string // webhook-id; "" if there is none
	Type    string // of the event, as far as the body says
	Attempt int    // 0: the sender does not say
	Size    int    // of the body, in bytes
	Digest  [sha256.Size]byte
	Body    []byte

	// Latency is the time since the event was accepted, by the id that Malote
	// gave it; NoLatency for other ids and for repetitions. It is as good as the
	// two clocks are.
	Latency time.Duration

	Repeated  bool // the id came before
	Duplicate bool // and was accepted then
	Differs   bool // and had other bytes
	Reaction  Reaction
}

// read reads a request to its end and says whether it is genuine.
func (rc *Receiver) read(w http.ResponseWriter, r *http.Request) *Arrival {
	arrival := &Arrival{Verdict: Refused, Latency: NoLatency}
	if r.Method != http.MethodPost {
		arrival.At, arrival.Err = time.Now(), errNotPost
		return arrival
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, rc.options.MaxBody))
	arrival.At, arrival.Body, arrival.Size, arrival.Err = time.Now(), body, len(body), err
	if err != nil {
		return arrival
	}
	arrival.Digest = sha256.Sum256(body)
	arrival.ID = r.Header.Get(webhook.HeaderID)
	arrival.Attempt, _ = strconv.Atoi(r.Header.Get(webhook.HeaderAttempt)) // not signed, so only for show
	rc.judge(arrival, r.Header)
	return arrival
}

func (rc *Receiver) judge(arrival *Arrival, header http.Header) {
	arrival.Verdict = Unverified
	if rc.options.Verifier != nil {
		message, err := rc.options.Verifier.Verify(header, arrival.Body)
		if err != nil {
			arrival.Verdict, arrival.Err = Forged, err
			return
		}
		arrival.Verdict, arrival.ID = Verified, message.ID
	}
	if len(arrival.ID) > webhook.MaxIDBytes { // unverified only: bounds what is remembered
		arrival.Verdict, arrival.Err, arrival.ID = Refused, errLongID, ""
		return
	}
	if id, err := delivery.ParseID(delivery.EventPrefix, arrival.ID); err == nil {
		arrival.Latency = max(arrival.At.Sub(id.Time()), 0)
	}
	if rc.options.Out != nil {
		arrival.Type = typeOf(arrival.Body)
	}
}

// typeOf reads the event's type out of a body in one of the usual envelopes.
func typeOf(body []byte) string {
	var envelope struct {
		Type string `json:"type"`
		Tipo string `json:"tipo"` // F10
	}
	_ = json.Unmarshal(body, &envelope) // bodies may be anything
	return cmp.Or(envelope.Type, envelope.Tipo)
}

var (
	errNotPost = errors.New("not a POST request: webhooks are POSTed")
	errLongID  = errors.New("its webhook-id is too long")
)

// refuse answers what is not genuine.
func (a *Arrival) refuse(w http.ResponseWriter) {
	status := http.StatusBadRequest
	switch {
	case errors.Is(a.Err, errNotPost):
		status = http.StatusMethodNotAllowed
		w.Header().Set("Allow", http.MethodPost)
	case isTooLarge(a.Err):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(a.Err, webhook.ReasonBadSignature), errors.Is(a.Err, webhook.ReasonStale), errors.Is(a.Err, webhook.ReasonFuture):
		status = http.StatusUnauthorized
	}
	http.Error(w, a.Err.Error(), status)
}

func isTooLarge(err error) bool {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	return tooLarge
}
