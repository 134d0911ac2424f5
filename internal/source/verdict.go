package source

import (
	"fmt"
	"time"
)

// Result is what a request came to.
type Result string

// The results. Only the first two are answered with a success.
const (
	OK            Result = "ok"             // genuine: its items are events
	Challenge     Result = "challenge"      // a handshake: answer with Response, and there is no event
	BadSignature  Result = "bad_signature"  // not known to be genuine
	MissingHeader Result = "missing_header" // nothing to verify by
	Malformed     Result = "malformed"      // what there is cannot be read
	Stale         Result = "stale"          // genuine once, but too far from now
)

// Results lists every result.
var Results = []Result{OK, Challenge, BadSignature, MissingHeader, Malformed, Stale}

// A Verdict says what a request is.
type Verdict struct {
	Result Result
	Reason Reason
	// Detail goes with the reason: a header's name, what was done to a body.
	// It holds nothing secret, and little of what the sender wrote.
	Detail string
	// Skew is now less the signed time, when Result is Stale.
	Skew time.Duration
	// Secret is the name of the one that matched.
	Secret string

	// ID and Type are the event's as the provider calls them, empty when it
	// does not say. A batch has those of its envelope, or of its first item.
	ID, Type string
	// Items are the events when Result is OK: several in a batch, else one,
	// whose body is the request's.
	Items []Item
	// Response is what the provider takes for a receipt when Result is OK, and
	// the answer to a Challenge.
	Response Response
	// Fetch is what must be fetched before the request can be verified, when
	// Reason is [KeyNeeded]; with a Challenge, what must be fetched to accept it.
	Fetch *Fetch
}

// An Item is one event.
type Item struct {
	ID, Type string
	// Dedupe is the same for a repetition of this event and for no other event
	// of the source; empty when the provider gives nothing to tell by and a
	// repetition may be told from a new event by nobody.
	Dedupe string
	// Body is exactly the item's bytes, a part of the request's body.
	Body []byte
}

// A Response is an answer to the provider.
type Response struct {
	Status      int
	ContentType string
	Header      Header // besides the content type
	Body        string
}

// Accepted says whether the request is what it claims to be.
func (v Verdict) Accepted() bool { return v.Result == OK || v.Result == Challenge }

// Explain says in a sentence why, and what to do.
func (v Verdict) Explain() string {
	text := v.Reason.Explain()
	switch {
	case v.Reason == TooOld:
		text = fmt.Sprintf("the signature holds, but it is %.0f s old and %s: %s", v.Skew.Seconds(), v.Detail, text)
	case v.Reason == FromTheFuture:
		text = fmt.Sprintf("the signature holds, but its time is %.0f s ahead and %s: %s", -v.Skew.Seconds(), v.Detail, text)
	case v.Detail != "":
		text += " (" + v.Detail + ")"
	}
	return text
}

// refusal is a verdict in the making that is not OK. A nil one is none.
type refusal struct {
	result Result
	reason Reason
	detail string
	skew   time.Duration
	fetch  *Fetch
}

func refuse(result Result, reason Reason, detail string) *refusal {
	return &refusal{result: result, reason: reason, detail: detail}
}

func missing(header string) *refusal { return refuse(MissingHeader, HeaderMissing, header) }

func malformed(reason Reason, detail string) *refusal { return refuse(Malformed, reason, detail) }

func bad(reason Reason, detail string) *refusal { return refuse(BadSignature, reason, detail) }

func (r *refusal) verdict() Verdict {
	return Verdict{Result: r.result, Reason: r.reason, Detail: r.detail, Skew: r.skew, Fetch: r.fetch}
}
