// Package metrics is what Malote shows at /metrics. It implements the observers
// that the other packages declare, and asks the storage for what only it knows.
//
// Labels are bounded: reasons and codes are enumerated, endpoints appear only in
// the list of the most delayed ones. It must never see a body or a secret.
package metrics
