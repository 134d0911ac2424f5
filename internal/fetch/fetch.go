package fetch

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/source"
)

// DefaultTimeout bounds one fetch, from the look-up of the name to the last byte.
// Most providers wait at least ten seconds for their answer, some three.
const DefaultTimeout = 2500 * time.Millisecond

const (
	atOnce        = 16       // calls under way
	defaultAnswer = 64 << 10 // bytes, where the fetch names no bound
)

// Options of New. Guard must be given.
type Options struct {
	Guard    *egress.Guard
	Resolver egress.Resolver // nil: egress.SystemResolver
	RootCAs  *x509.CertPool  // nil: the system's
	Timeout  time.Duration   // 0: DefaultTimeout
	Log      *slog.Logger
}

// Fetcher fetches and remembers. Goroutines may share it.
type Fetcher struct {
	guard     *egress.Guard
	transport *http.Transport
	timeout   time.Duration
	log       *slog.Logger

	// good has content, failed what failed. They are apart, so that those who make
	// fetches fail push out nothing that is needed.
	good, failed cache
	allowances   allowances
	calls        singleflight.Group
	slots        chan struct{}
}

// New makes a fetcher.
func New(options Options) *Fetcher {
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Fetcher{
		guard: options.Guard, transport: newTransport(options), timeout: options.Timeout, log: options.Log,
		slots: make(chan struct{}, atOnce),
	}
}

// Fetch gives the content of a 2xx answer, which nobody may change. It returns
// within the timeout, or when ctx ends: the call goes on then, for those who come
// later. Every error is an *Error.
func (f *Fetcher) Fetch(ctx context.Context, owner delivery.ID, want source.Fetch) ([]byte, error) {
	if err := f.check(want); err != nil {
		return nil, &Error{Failure: NotAllowed, Host: want.Host, Err: err}
	}
	name := nameOf(want)
	kept, known := f.kept(name)
	if known && kept.isFresh(time.Now()) {
		return kept.answer.result()
	}
	done := f.calls.DoChan(string(name[:]), func() (any, error) { return f.call(name, owner, want), nil })
	if known { // it is of use still: nobody waits for it to be had anew
		return kept.answer.result()
	}
	select {
	case <-ctx.Done():
		return nil, &Error{Failure: Unavailable, Host: want.Host, Err: ctx.Err()}
	case result := <-done:
		return result.Val.(answer).result()
	}
}

// kept is what may be used of what is remembered: content, which may have to be
// had anew, or a failure that is not over.
func (f *Fetcher) kept(name name) (entry, bool) {
	good, known := f.good.get(name)
	if known && good.isUsable(time.Now()) {
		if failed, known := f.failed.get(name); known && failed.isFresh(time.Now()) {
			good.expires = failed.expires // not again so soon
		}
		return good, true
	}
	failed, known := f.failed.get(name)
	return failed, known && failed.isFresh(time.Now())
}

// Why an address breaks the rules, besides those of the guard.
var (
	errScheme = errors.New("only https is fetched")
	errHost   = errors.New("the address is not on the host that it must be on")
	errMethod = errors.New("only GET and POST are made")
)

// check looks at the address for itself: whoever wrote it is a stranger, and the
// pin of package source is only as good as two readers of the text agree.
func (f *Fetcher) check(want source.Fetch) error {
	if want.Method != http.MethodGet && want.Method != http.MethodPost {
		return errMethod
	}
	target, err := f.guard.CheckURL(want.URL)
	if err != nil {
		return err
	}
	plain, err := url.Parse(want.URL)
	switch {
	case err != nil:
		return err
	case target.Scheme != "https":
		return errScheme
	// Host holds the port too where there is one: none is allowed.
	case want.Host == "" || target.Host != want.Host || plain.Host != want.Host:
		return errHost
	}
	return nil
}

// name is by what a fetch is known. The body counts: what one owner's
// credentials were answered is not what another's would be.
type name [sha256.Size]byte

func nameOf(want source.Fetch) name {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(want.Purpose), []byte(want.Method), []byte(want.URL), []byte(want.Key), want.Body} {
		own := sha256.Sum256(part)
		sum.Write(own[:])
	}
	return name(sum.Sum(nil))
}

// call makes the one call that all who want the same wait for. Whoever asked
// first pays for it, unless the name had content before: only a provider makes
// those, so that strangers cannot use up what they need.
func (f *Fetcher) call(name name, owner delivery.ID, want source.Fetch) answer {
	if kept, known := f.kept(name); known && kept.isFresh(time.Now()) {
		return kept.answer // a call that ended since it was looked for
	}
	busy := answer{failure: &Error{Failure: Busy, Host: want.Host}}
	if _, wasGood := f.good.get(name); !wasGood && !f.allowances.take(owner, time.Now()) {
		return busy
	}
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	default:
		return busy
	}
	ctx, cancel := context.WithTimeout(context.Background(), f.timeout)
	defer cancel()
	got := f.exchange(ctx, want)
	f.keep(name, want.Purpose, got)
	if got.failure != nil {
		f.log.Warn("a fetch that verification needs failed", "purpose", want.Purpose, "error", got.failure)
	}
	return got
}

// keep remembers an answer. What the provider will not give any more is of no use
// from then on.
func (f *Fetcher) keep(name name, purpose source.FetchPurpose, got answer) {
	lifetime, now := keep(purpose, got), time.Now()
	if got.failure == nil {
		f.failed.drop(name)
		f.good.put(name, got, lifetime, now)
		return
	}
	if got.failure.Final() {
		f.good.drop(name)
	}
	f.failed.put(name, got, lifetime, now)
}
