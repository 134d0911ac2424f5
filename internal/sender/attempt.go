package sender

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync/atomic"
	"time"
)

// errDeadline is the cause that tells the policy's deadline from a shutdown.
var errDeadline = errors.New("the attempt's deadline passed")

// errInterim ends an attempt whose endpoint misuses interim answers.
var errInterim = errors.New("too many interim answers")

// maxInterim is how many 1xx answers an attempt takes. Each may have as many
// headers as a final one, and without a limit they go on to the deadline. Real
// endpoints send one or two.
const maxInterim = 10

// errDials ends an attempt whose connections turn out to be unusable one after
// the other.
var errDials = errors.New("too many connections for one attempt")

// maxDials is how many connections an attempt opens. net/http goes on dialling
// as long as an HTTP/2 endpoint takes connections and allows no request on them.
const maxDials = 3

// phase is how far an attempt has come. It only grows.
type phase int32

const (
	resolving phase = iota
	connecting
	handshaking
	sending // a connection is there
	waiting // the request is written
	heading // the first byte of the answer is there
	reading // the answer's headers are there
)

// attempt follows one request on its way. net/http and the dialer report to it
// from several goroutines, some of them after the attempt is over: a dial
// goes on for the sake of later requests.
type attempt struct {
	deadline time.Time
	allowed  time.Duration // from start to deadline

	reached atomic.Int32 // a phase
	dials   atomic.Int32
	interim atomic.Int32 // answers with status 1xx
	misled  atomic.Bool  // gotInterim ended the attempt

	cancel  context.CancelFunc
	written atomic.Bool // the request's headers
	given   atomic.Bool // back by the endpoint: gotConn ended the attempt
}

type attemptKey struct{}

// follow returns a context that makes net/http report to a.
func (a *attempt) follow(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, attemptKey{}, a)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectStart:         func(string, string) { a.reach(connecting) },
		GotConn:              func(httptrace.GotConnInfo) { a.gotConn() },
		WroteHeaders:         func() { a.written.Store(true) },
		WroteRequest:         a.wrote,
		GotFirstResponseByte: func() { a.reach(heading) },
		Got1xxResponse:       a.gotInterim,
	})
}

// following is the attempt that a dial is made for. Every dial is made for one:
// net/http keeps the values of the request's context.
func following(ctx context.Context) *attempt { return ctx.Value(attemptKey{}).(*attempt) }

func (a *attempt) reach(to phase) {
	for {
		from := a.reached.Load()
		if from >= int32(to) || a.reached.CompareAndSwap(from, int32(to)) {
			return
		}
	}
}

// gotConn ends an attempt whose request is about to be sent a second time: over
// HTTP/2 net/http repeats one without a body when it is given back. It looks
// at the context once more before it writes.
func (a *attempt) gotConn() {
	if a.written.Load() {
		a.given.Store(true)
		a.cancel()
	}
	a.reach(sending)
}

func (a *attempt) wrote(info httptrace.WroteRequestInfo) {
	if info.Err == nil {
		a.reach(waiting)
	}
}

// gotInterim ends the attempt by returning an error. HTTP/2 has no 101 and
// would skip it like any other 1xx (RFC 9113 §8.6).
func (a *attempt) gotInterim(status int, _ textproto.MIMEHeader) error {
	if a.interim.Add(1) > maxInterim || status == http.StatusSwitchingProtocols {
		a.misled.Store(true) // net/http may return another error in place of ours
		return errInterim
	}
	return nil
}
