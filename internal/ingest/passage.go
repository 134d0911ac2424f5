package ingest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// passage is one request on its way through the door.
type passage struct {
	*Door
	w http.ResponseWriter // for its deadlines only
	r *http.Request

	memory   holding
	patience time.Duration // that is left for the database

	live    *live
	request source.Request
	verdict source.Verdict
}

// answer takes the steps, as far as they go. Nobody's body is read before the
// source is known, and nothing is believed before it is verified.
func (p *passage) answer() *answer {
	for _, step := range []func() *answer{
		p.knock,  // a place among those under way
		p.find,   // the source
		p.admit,  // its method and pause
		p.read,   // the body, bounded in size and time
		p.unpack, // its content coding, under the same bound
		p.verify, // with what must be fetched for it
		p.charge, // the source's rate
		p.shake,  // a handshake ends here
		p.commit, // the events, all or none
	} {
		if a := step(); a != nil {
			return a
		}
	}
	panic("ingest: the last step gives an answer")
}

// enter takes a place, of the door's or of the source's.
func (p *passage) enter(r *room) *answer {
	if !p.memory.enter(r) {
		return turnedAway(Overloaded, "")
	}
	return nil
}

func (p *passage) knock() *answer { return p.enter(p.room) }

func (p *passage) find() *answer {
	id, err := delivery.ParseID(delivery.SourcePrefix, p.r.PathValue("source_id"))
	if err != nil {
		return turnedAway(UnknownSource, "")
	}
	ctx, done := p.waiting()
	defer done()
	p.live, err = p.Door.live.find(ctx, id)
	switch {
	case err != nil:
		return p.withoutStorage("finding a source", err)
	case p.live == nil:
		return turnedAway(UnknownSource, "")
	case p.live.broken != nil:
		return turnedAway(SettingsUnreadable, p.live.broken.Error())
	}
	return p.enter(p.live.room)
}

// waiting bounds a wait for the database. All of a request's waits together are
// under a second: it is what the sender waits besides its own sending.
func (p *passage) waiting() (context.Context, func()) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(p.r.Context(), p.patience)
	return ctx, func() {
		cancel()
		p.patience = max(0, p.patience-time.Since(began))
	}
}

func (p *passage) withoutStorage(doing string, err error) *answer {
	if p.r.Context().Err() == nil { // else the sender has gone
		p.complaints.Do(func() {
			p.log.Warn("inbound requests cannot be committed; senders are told to come again", "doing", doing, "error", err)
		})
	}
	return turnedAway(StorageUnavailable, "")
}

// admit turns away what needs no look into the body.
func (p *passage) admit() *answer {
	if methods := p.live.provider.Methods; p.r.Method != http.MethodPost && !slices.Contains(methods, p.r.Method) {
		a := turnedAway(MethodNotAllowed, p.r.Method)
		allowed := strings.Join(append([]string{http.MethodPost}, methods...), ", ")
		a.response.Header = source.Header{{Name: "Allow", Value: allowed}}
		return a
	}
	if p.live.Paused {
		return turnedAway(SourcePaused, "")
	}
	return nil
}

// charge holds the source to its rate. Only what is genuine counts: else whoever
// knows the address would use up what the provider needs.
func (p *passage) charge() *answer { return charged(p.live.limiter) }

func charged(bucket *rate.Limiter) *answer {
	wait := wait(bucket, time.Now())
	if wait == 0 {
		return nil
	}
	a := turnedAway(RateLimited, "")
	a.retryAfter = wait
	return a
}

func (p *passage) read() *answer {
	p.request = p.arrival(p.r, p.live.settings.URL)
	body, reason := p.receive()
	if reason != "" {
		a := turnedAway(reason, "")
		a.hangUp = true
		return a
	}
	p.request.Body = body
	return nil
}

func (p *passage) unpack() *answer {
	coding := codingOf(p.r.Header)
	if coding == "" || p.live.settings.AsReceived {
		return nil
	}
	body, reason := p.memory.unpack(coding, p.request.Body, p.live.settings.MaxBodyBytes)
	if reason != "" {
		return turnedAway(reason, coding)
	}
	p.request.Body = body
	return nil
}

// fetches bounds what one request can have fetched. Each secret may need something
// of its own.
const fetches = 4

// verify asks package source, and fetches what it asks for. What the provider will
// never give has nothing in it: another secret may do without.
func (p *passage) verify() *answer {
	options := source.Options{
		Window: p.live.settings.Window, Generic: p.live.settings.Generic, Fetched: make(map[string][]byte),
	}
	var refused error
	for fetched := 0; ; fetched++ {
		p.verdict = p.live.provider.Verify(p.request, p.live.Secrets, options, p.now())
		if p.verdict.Fetch == nil || p.verdict.Accepted() || fetched == fetches {
			break
		}
		content, err := p.fetcher.Fetch(p.r.Context(), p.live.ID, *p.verdict.Fetch)
		if err != nil && !isFinal(err) {
			return turnedAway(FetchFailed, summaryOf(err))
		}
		refused = err
		options.Fetched[p.verdict.Fetch.Key] = content
	}
	if !p.verdict.Accepted() {
		if refused != nil {
			p.verdict = source.Verdict{Result: source.BadSignature, Reason: source.KeyUnknown, Detail: summaryOf(refused)}
		}
		return p.refuse(p.verdict)
	}
	if p.verdict.Secret != "" && p.live.isNews(p.verdict.Secret) {
		p.log.Info("a secret of a source matches", "source", p.live.ID.Format(delivery.SourcePrefix), "secret", p.verdict.Secret)
	}
	return nil
}

// refuse answers what is not genuine, or, when more of it comes than may come of
// the genuine, that it is too much.
func (p *passage) refuse(v source.Verdict) *answer {
	a := notGenuine(v, p.live.provider)
	if a.response.Status == http.StatusServiceUnavailable { // ours to put right
		return a
	}
	if flood := charged(p.live.failures); flood != nil {
		return flood
	}
	return a
}

// isFinal says that the provider will never give it: whoever named it is not
// genuine. Else the sender comes again.
func isFinal(err error) bool {
	final, ok := errors.AsType[interface {
		error
		Final() bool
	}](err)
	return ok && final.Final()
}

// summaryOf is what whoever runs the source may know of a failed fetch. The rest
// is about the operator's network.
func summaryOf(err error) string {
	if summed, ok := errors.AsType[interface {
		error
		Summary() string
	}](err); ok {
		return summed.Summary()
	}
	return ""
}

// shake answers a handshake. One that must be confirmed by a visit is accepted
// only if that succeeds: else the provider asks again.
func (p *passage) shake() *answer {
	if p.verdict.Result != source.Challenge {
		return nil
	}
	if p.verdict.Fetch != nil {
		_, err := p.fetcher.Fetch(p.r.Context(), p.live.ID, *p.verdict.Fetch)
		switch {
		case err == nil:
		case isFinal(err):
			return p.refuse(source.Verdict{Result: source.BadSignature, Reason: source.KeyUnknown, Detail: summaryOf(err)})
		default:
			return turnedAway(FetchFailed, summaryOf(err))
		}
	}
	return &answer{response: p.verdict.Response}
}

// commit publishes, and waits for the commit. When the wait ends without it, the
// outcome is unknown: the provider's next try is either the first or a duplicate.
func (p *passage) commit() *answer {
	requests, filtered := p.live.requestsOf(&p.request, p.r.Header, p.verdict.Items)
	var results []publish.Result
	if len(requests) > 0 {
		ctx, done := p.waiting()
		defer done()
		var err error
		if results, err = p.publisher.Publish(ctx, requests); err != nil {
			return p.notCommitted(err)
		}
	}
	duplicates := 0
	for _, result := range results {
		if result.Duplicate {
			duplicates++
		}
	}
	p.observer.InboundAccepted(p.live.provider.Name, len(results)-duplicates, duplicates, filtered)
	p.tally.add(Arrivals{
		Source: p.live.ID, Hour: time.Now(),
		Accepted: int64(len(results) - duplicates), Duplicates: int64(duplicates), Filtered: int64(filtered),
	})
	form := p.verdict.Response
	if p.live.settings.Success.Status != 0 {
		form = p.live.settings.Success
	}
	return receipt(form, results, len(p.verdict.Items) > 1)
}

func (p *passage) notCommitted(err error) *answer {
	if _, tooLarge := errors.AsType[*publish.TooLargeError](err); tooLarge {
		return turnedAway(BodyTooLarge, "")
	}
	_, invalid := errors.AsType[*publish.InvalidError](err)
	_, refused := errors.AsType[*publish.RefusedError](err)
	switch {
	case errors.Is(err, delivery.ErrUnknownTenant):
		return turnedAway(UnknownSource, "")
	case invalid, refused:
		p.complaints.Do(func() {
			p.log.Error("a genuine inbound request cannot be published",
				"source", p.live.ID.Format(delivery.SourcePrefix), "error", err)
		})
		return turnedAway(Unpublishable, "")
	default:
		return p.withoutStorage("publishing", err)
	}
}
