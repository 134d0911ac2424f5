package api

// sourceOptionsJSON documents sourceOptions. Nothing is ever decoded into it:
// what the members may hold, the settings' own rules say.
type sourceOptionsJSON struct {
	URL             string           `json:"url,omitempty" maxLength:"2048" doc:"The address that the provider was given, if it signs that and this server sees another."`
	Tolerance       string           `json:"tolerance,omitempty" example:"5m" doc:"How far a signed time may be off, such as 90s, or off. Left out: what the provider documents."`
	MaxBodyBytes    int              `json:"max_body_bytes,omitempty" minimum:"1" example:"1048576" doc:"How large a body may be, before and after unpacking. Left out: the server's own limit."`
	RateLimit       *sourceRateJSON  `json:"rate_limit,omitempty" doc:"More requests get 429. For each process by itself. Left out: no limit."`
	Success         *receiptJSON     `json:"success,omitempty" doc:"The answer to what was committed, if the provider wants another than 200."`
	ContentEncoding string           `json:"content_encoding,omitempty" enum:"unpack,as_received" doc:"as_received: verify and store packed bodies as they came. Left out: unpack."`
	Filter          string           `json:"filter,omitempty" maxLength:"4096" example:"type != \"charge.updated\"" doc:"A CEL expression over type and data: events for which it is false are acknowledged and not stored."`
	Generic         *genericRuleJSON `json:"generic,omitempty" doc:"How the sender is known. Required of the provider generic, and for no other."`
	Repair          *gapOptionsJSON  `json:"repair,omitempty" doc:"What the repair of gaps needs besides a secret with the role repair."`
}

type sourceRateJSON struct {
	PerSecond float64 `json:"per_second" example:"50"`
	Burst     int     `json:"burst,omitempty" minimum:"1" example:"100" doc:"How many may come at once. Left out: a second's worth."`
}

type receiptJSON struct {
	Status      int    `json:"status,omitempty" minimum:"200" maximum:"299" example:"200"`
	Body        string `json:"body,omitempty" example:"ok"`
	ContentType string `json:"content_type,omitempty" example:"text/plain"`
}

type genericRuleJSON struct {
	Auth            string   `json:"auth,omitempty" enum:"hmac,header_token,bearer,basic,query_token,address" doc:"Left out: hmac."`
	Addresses       []string `json:"addresses,omitempty" example:"[\"203.0.113.0/24\"]" doc:"Addresses and ranges that may send; they come before the rest. Empty: all."`
	Header          string   `json:"header,omitempty" example:"X-Signature" doc:"What holds the signature, or the token."`
	Prefix          string   `json:"prefix,omitempty" example:"sha256=" doc:"What comes before the signature."`
	Separator       string   `json:"separator,omitempty" example:"," doc:"What parts several signatures, of which one must hold. Empty: there is one."`
	Encoding        string   `json:"encoding,omitempty" enum:"hex,base64,base64url" doc:"Of the signature. Left out: hex."`
	Algorithm       string   `json:"algorithm,omitempty" enum:"sha256,sha384,sha512,sha1" doc:"Left out: sha256."`
	SecretEncoding  string   `json:"secret_encoding,omitempty" enum:"text,hex,base64" doc:"How the secret is written. Left out: text."`
	Content         string   `json:"content,omitempty" example:"{timestamp}.{body}" doc:"What is signed: text with {body}, {timestamp}, {method}, {url}, {id} and {header:Name} in it. Left out: {body}."`
	TimestampHeader string   `json:"timestamp_header,omitempty" example:"X-Timestamp" doc:"What holds the signed time."`
	TimestampFormat string   `json:"timestamp_format,omitempty" enum:"unix,rfc3339" doc:"Left out: unix, in seconds or milliseconds."`
	Parameter       string   `json:"parameter,omitempty" example:"token" doc:"The query's parameter that holds the token."`
	ID              string   `json:"id,omitempty" example:"json:data.id" doc:"Where an event's id is: header:Name, or json: and a path. Repetitions are known by it. Left out: by the body."`
	Type            string   `json:"type,omitempty" example:"json:type" doc:"Where an event's type is, likewise."`
}

type gapOptionsJSON struct {
	BaseURL  string       `json:"base_url,omitempty" example:"https://github.example.com/api/v3" doc:"Where the provider's API is, if not at its own address. The secret with the role repair goes there: while there is one, the host stays the same."`
	Hook     *gapHookJSON `json:"hook,omitempty" doc:"Which webhook of GitHub's this source receives. Required there."`
	Types    []string     `json:"types,omitempty" example:"[\"invoice.paid\"]" doc:"Which of Stripe's types its endpoint gets. Empty: all."`
	Interval string       `json:"interval,omitempty" example:"5m" doc:"Between the beginnings of two comparisons, at least 1m. Left out: 5m."`
}

type gapHookJSON struct {
	Owner      string `json:"owner" example:"acme"`
	Repository string `json:"repository,omitempty" example:"shop" doc:"Left out: it is the organisation's."`
	ID         int64  `json:"id" example:"4711" doc:"The number at the end of its address on GitHub."`
}
