package ingest

import (
	"net/http"
	"slices"

	"github.com/malotehq/malote/internal/source"
)

// Why the door turns a request away, besides the reasons of package source.
const (
	UnknownSource      source.Reason = "unknown_source"
	MethodNotAllowed   source.Reason = "method_not_allowed"
	SourcePaused       source.Reason = "source_paused"
	RateLimited        source.Reason = "rate_limited"
	Overloaded         source.Reason = "overloaded"
	BodyTooLarge       source.Reason = "body_too_large"
	BodyIncomplete     source.Reason = "body_incomplete"
	BodyTooSlow        source.Reason = "body_too_slow"
	CodingUnsupported  source.Reason = "content_encoding_unsupported"
	CodingBroken       source.Reason = "content_encoding_broken"
	SettingsUnreadable source.Reason = "settings_unreadable"
	FetchFailed        source.Reason = "fetch_failed"
	StorageUnavailable source.Reason = "storage_unavailable"
	Unpublishable      source.Reason = "unpublishable"
)

// own are the door's reasons: how each is answered, and what it means for
// whoever runs the source.
var own = []struct {
	reason source.Reason
	status int
	text   string
}{
	{UnknownSource, http.StatusNotFound, "there is no such source"},
	{MethodNotAllowed, http.StatusMethodNotAllowed, "the provider does not use this method: see that it is given this address for webhooks"},
	{SourcePaused, http.StatusServiceUnavailable, "the source is paused: resume it"},
	{RateLimited, http.StatusTooManyRequests, "more requests came than the source's rate allows: raise it, or ask the provider for fewer"},
	{Overloaded, http.StatusServiceUnavailable, "more requests were under way than there is room for"},
	{BodyTooLarge, http.StatusRequestEntityTooLarge, "the body is over the limit: raise the source's max_body_bytes, as far as the server's own limit allows"},
	{BodyIncomplete, http.StatusBadRequest, "the body ended before its end"},
	{BodyTooSlow, http.StatusRequestTimeout, "the body took too long to arrive"},
	{CodingUnsupported, http.StatusUnsupportedMediaType, "the body has a content coding other than gzip or deflate: have the provider send it plain"},
	{CodingBroken, http.StatusBadRequest, "the body is not what its content coding says"},
	{SettingsUnreadable, http.StatusServiceUnavailable, "the source's settings cannot be read by this version: save them again"},
	{FetchFailed, http.StatusServiceUnavailable, "what must be fetched from the provider to verify could not be had"},
	{StorageUnavailable, http.StatusServiceUnavailable, "the database did not answer in time"},
	{Unpublishable, http.StatusInternalServerError, "the request is genuine, but cannot be stored: the log says why"},
}

// Reasons lists every reason why a request may be turned away, for documentation
// and metrics.
var Reasons = listReasons()

func listReasons() []source.Reason {
	list := make([]source.Reason, 0, len(own)+len(source.Reasons))
	for _, reason := range source.Reasons {
		if reason != source.Verified && reason != source.Handshake {
			list = append(list, reason)
		}
	}
	for _, o := range own {
		list = append(list, o.reason)
	}
	return list
}

// Explain says in a sentence what a reason means and what to do.
func Explain(reason source.Reason) string {
	for _, o := range own {
		if o.reason == reason {
			return o.text
		}
	}
	return reason.Explain()
}

func statusOf(reason source.Reason) int {
	for _, o := range own {
		if o.reason == reason {
			return o.status
		}
	}
	return http.StatusInternalServerError
}

// Reasons of package source that are answered otherwise than their result is.
var (
	// Ours to put right: the provider should come again.
	notSetUp = []source.Reason{source.NoSecret, source.SecretUnusable, source.NotConfigured, source.KeyNeeded}
	// About the signature, however it is misspelt.
	ofSignature = []source.Reason{
		source.HeaderTwice, source.HeaderTooLong, source.SignatureMalformed, source.TimestampMalformed,
		source.AlgorithmRefused, source.BodyNotCovered,
	}
	// For somebody else.
	elsewhere = []source.Reason{source.AddressNotAllowed, source.OtherTopic}
)

// statusOfVerdict says how a request that is not accepted is answered.
func statusOfVerdict(v source.Verdict) int {
	switch {
	case slices.Contains(notSetUp, v.Reason):
		return http.StatusServiceUnavailable
	case slices.Contains(elsewhere, v.Reason):
		return http.StatusForbidden
	case v.Result == source.Malformed && !slices.Contains(ofSignature, v.Reason):
		return http.StatusBadRequest
	default:
		return http.StatusUnauthorized
	}
}
