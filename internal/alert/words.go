package alert

import (
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var deadReasons = map[delivery.Reason]string{
	delivery.AttemptsExhausted: "all attempts failed",
	delivery.TooOld:            "it could not be delivered in time",
	delivery.Rejected:          "the endpoint refused it",
	delivery.Gone:              "the endpoint is gone (HTTP 410)",
	delivery.TooLarge:          "it is too large for the endpoint (HTTP 413)",
	delivery.Interrupted:       "the attempt was interrupted, and may not be repeated",
	delivery.EndpointDeleted:   "the endpoint was deleted",
}

// deadWords says why a delivery died; the reason itself if it is not known here.
func deadWords(reason string) string {
	if words, known := deadReasons[delivery.Reason(reason)]; known {
		return words
	}
	return reason
}

var disabledReasons = map[circuit.DisableReason]string{
	circuit.DisabledGone:     "it answered that it is gone (HTTP 410)",
	circuit.DisabledFailures: "too many attempts failed in a row",
	circuit.DisabledDuration: "it failed for too long without a success",
}

// endpointWords says a signal's detail about an endpoint.
func endpointWords(kind delivery.SignalKind, detail string) string {
	switch kind {
	case endpointFailing:
		if d, err := time.ParseDuration(detail); err == nil {
			return "no success for " + days(d)
		}
	case endpointDisabled:
		if words, known := disabledReasons[circuit.DisableReason(detail)]; known {
			return words
		}
	case circuitClosed:
		return "" // how many failures there were in a row is 0 now
	}
	return detail
}

// days says a length of time in days or hours, where it is a whole number of them.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "a day"
	case d > 0 && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	default:
		return d.Round(time.Second).String()
	}
}
