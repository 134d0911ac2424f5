// Package policy holds delivery contracts as data: what a success is, when the
// next attempt is due, when a delivery is given up, what is sent in which
// headers, and what an endpoint's trouble leads to.
//
// A policy is a YAML file. The presets under presets/ are published contracts;
// users write their own in the same language, and Parse refuses one that does
// not make sense, with the line and the reason. Decide is the only place that
// turns an outcome into what happens next, and Schedule computes its tables
// with the very same code.
//
// The package must never know the clock, randomness, storage or the network:
// callers pass the instant and the random numbers.
//
// # The language
//
// Fields with their defaults; "!" marks those that must be given. Durations are
// 30s, 5m or 72h, sizes 512 or 64KiB. A condition is a status (410), a class
// (4xx), an error code (timeout), any_status, any_error or any.
//
//	name!             1 to 64 of a-z, 0-9 and -
//	description       ""
//	deadline!         for one whole attempt
//	lease             60s; longer than deadline + 10s
//	max_in_flight     10, where the endpoint has no limit of its own
//	rate_limit        none; attempts a second, where the endpoint has no limit of its own
//	fifo              false; true: endpoints that do not say otherwise are strictly ordered
//	success           [2xx]; never 1xx or 3xx
//	response          read_limit 64KiB, keep_failed 1KiB, broken_body success|failure
//	schedule!         kind! table|exponential
//	                  table: waits!, then end|repeat
//	                  exponential: base!, factor 2, cap!
//	                  jitter: kind! none|equal|full|percent|additive, percent!
//	                  anchor finished|scheduled, first_delay 0s, minimum_wait 1s
//	retry_after       on! (statuses or any), cap!; without the section it is ignored
//	give_up           attempts, age, age_from accepted|first_attempt
//	failures          rules in order: on!, then! retry|dead, reason
//	                  rejected|gone|too_large, disable_endpoint false, slow_down false
//	circuit           kind! none|escalating|half_open, failures!, pause!, max_pause!
//	slow_down         restore_after!, slower_than with in_a_row!
//	disable_endpoint  failures, after, min_attempts 1, warn_after []
//	headers           the names: id, timestamp, signature, attempt, trigger, event_type, trace,
//	                  idempotency_key, idempotency_key_from event_id|uuid4, extra
//	signature         scheme! standard-webhooks|timestamp-hex|none
//	envelope          members in order, each id|type|occurred_at|accepted_at|data;
//	                  for people: text|mrkdwn in place of data, and subject
//	redeliver         [dead]: the states that may be replayed
//	replay_on_enable  false; true: enabling an endpoint replays all that is dead
//	record_skipped    [no_endpoint, endpoint_disabled]; type_not_subscribed, filtered
package policy
