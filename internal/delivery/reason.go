package delivery

// Reason says why a delivery is closed. One enumeration serves the row, the
// metric's label and the page.
type Reason string

// Why a delivery is dead (dead_reason of the public API).
const (
	AttemptsExhausted Reason = "attempts_exhausted"
	TooOld            Reason = "too_old"
	Rejected          Reason = "rejected"
	Gone              Reason = "gone"
	TooLarge          Reason = "too_large"
	Interrupted       Reason = "interrupted"
	EndpointDeleted   Reason = "endpoint_deleted"
)

// Why a delivery was skipped (skip_reason, D07).
const (
	NoEndpoint        Reason = "no_endpoint"
	TypeNotSubscribed Reason = "type_not_subscribed"
	EndpointDisabled  Reason = "endpoint_disabled"
	// Filtered: the endpoint's filter did not let the event through.
	Filtered Reason = "filtered"
)

// Why a delivery ended otherwise.
const (
	// ReplacedByNewer: a newer event with the same coalescing key took its place (F13).
	ReplacedByNewer Reason = "replaced_by_newer"
	// DiscardedByUser: someone chose not to send what was pending.
	DiscardedByUser Reason = "discarded_by_user"
	// ResolvedByUser: someone took a dead delivery off the list (D11).
	ResolvedByUser Reason = "resolved_by_user"
)

// ErrorCode says what went wrong in an attempt (error_code of the public API).
type ErrorCode string

// The error codes. An attempt that succeeded has none.
const (
	Timeout           ErrorCode = "timeout"
	DNS               ErrorCode = "dns"
	ConnectRefused    ErrorCode = "connect_refused"
	Connect           ErrorCode = "connect"
	TLS               ErrorCode = "tls"
	Reset             ErrorCode = "reset"
	Protocol          ErrorCode = "protocol"
	BlockedAddress    ErrorCode = "blocked_address"
	URLNotAllowed     ErrorCode = "url_not_allowed"
	NoSecret          ErrorCode = "no_secret"
	HTTPStatus        ErrorCode = "http_status"
	ResponseTruncated ErrorCode = "response_truncated"
	InterruptedSend   ErrorCode = "interrupted"
)

// The error codes of e-mail alone.
const (
	// SMTPDeferred: the mail server answered 4yz: not now (RFC 5321 section 4.2.1).
	SMTPDeferred ErrorCode = "smtp_deferred"
	// SMTPRejected: it answered 5yz: not this mail, or not for this recipient.
	SMTPRejected ErrorCode = "smtp_rejected"
	// SMTPAuth: it did not take Malote's user name and password.
	SMTPAuth ErrorCode = "smtp_auth"
)

// ErrorCodes lists every error code, for documentation and metrics.
var ErrorCodes = []ErrorCode{
	Timeout, DNS, ConnectRefused, Connect, TLS, Reset, Protocol, BlockedAddress,
	URLNotAllowed, NoSecret, HTTPStatus, ResponseTruncated, InterruptedSend,
	SMTPDeferred, SMTPRejected, SMTPAuth,
}

// OfMail says whether only an e-mail can end with the code: no receiver of
// webhooks ever meets it.
func (c ErrorCode) OfMail() bool { return c == SMTPDeferred || c == SMTPRejected || c == SMTPAuth }

var explanations = map[ErrorCode]string{
	Timeout:           "The endpoint did not answer within the deadline.",
	DNS:               "The endpoint's host name could not be resolved.",
	ConnectRefused:    "The endpoint refused the connection: nothing listens there.",
	Connect:           "No connection to the endpoint could be made.",
	TLS:               "The endpoint's TLS certificate or handshake was not acceptable.",
	Reset:             "The endpoint closed the connection before its answer was complete.",
	Protocol:          "The endpoint's answer was not valid HTTP.",
	BlockedAddress:    "The endpoint's host name resolves to an address that may not be called.",
	URLNotAllowed:     "The endpoint's URL is no longer allowed.",
	NoSecret:          "The endpoint has no active secret, and nothing is ever sent unsigned.",
	HTTPStatus:        "The endpoint answered with a status that is not a success.",
	ResponseTruncated: "The endpoint's answer broke off in the middle.",
	InterruptedSend:   "The worker stopped between sending and recording: the outcome is unknown.",
	SMTPDeferred:      "The mail server does not take the mail now; it is tried again.",
	SMTPRejected:      "The mail server refused the mail or its recipient for good.",
	SMTPAuth:          "The mail server did not take the user name and password that Malote has for it.",
}

// Explain says in a sentence for the operator what the code means.
func (c ErrorCode) Explain() string { return explanations[c] }
