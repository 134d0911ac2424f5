package source

import "time"

// NoWindow switches the check of a signed time off.
const NoWindow time.Duration = -1

// A Provider is one sender of webhooks: how it signs, and what to know about it.
// The texts are for people, the API's documentation and the command line alike.
type Provider struct {
	Name  string // stable, snake_case
	Title string
	// Headers are those that verification looks at, the signature's first.
	Headers []string
	// Signed says what is signed and how.
	Signed string
	// Window is how far a signed time may be from now, in either direction. 0:
	// the provider documents none or signs no time, and none is asked for
	// unless the source sets one.
	Window time.Duration
	// Secret says what to paste as the secret.
	Secret string
	// Dedupe says how a repetition is known; Type, where the type comes from.
	Dedupe, Type string
	// Handshake says what the provider asks before it sends events.
	Handshake string
	// Retries says what it takes for a receipt, and what it does without.
	Retries string
	// Gotcha is what surprises people.
	Gotcha string
	// Methods are those that it sends, besides POST.
	Methods []string
	// Success is the receipt; a zero status means any 2xx.
	Success Response

	signsTime   bool // though Window is 0
	verify      func(*call) (Verdict, *refusal)
	checkSecret func(string) error
}

// SignsTime says whether requests have a signed time, so that a window can be
// held to: without one, a window that is set does nothing. For the generic source
// it is true, as it depends on its rule: see [Generic.TimestampHeader].
func (p *Provider) SignsTime() bool { return p.Window > 0 || p.signsTime }

// Options are a source's settings that a provider's rule takes.
type Options struct {
	// Window replaces the provider's: 0 keeps it, [NoWindow] lifts it.
	Window time.Duration
	// Fetched is what was fetched for [Fetch] values, by their keys.
	Fetched map[string][]byte
	// Generic is the rule of the generic source.
	Generic *Generic
	// Thorough looks for the cause of a failure whatever the body's size. It
	// costs some forty times the verification: not for a public door.
	Thorough bool
}

// Verify says what a request is. It is a pure function: the same arguments give
// the same verdict. A zero now lifts every window.
//
// The cost of a request that fails is bounded by its size: see Options.Thorough.
func (p *Provider) Verify(request Request, secrets []Secret, options Options, now time.Time) Verdict {
	c := &call{Request: request, provider: p, secrets: secrets, options: options, now: now}
	v, refused := p.verify(c)
	if refused != nil {
		return c.otherHeader(refused).verdict()
	}
	if v.Result == OK && v.Response.Status == 0 {
		v.Response = p.Success
		if v.Response.Status == 0 {
			v.Response.Status = 200
		}
	}
	return v
}

// CheckSecret says why a secret is of no use to the provider, before it is
// saved. The error holds nothing of the secret.
func (p *Provider) CheckSecret(secret Secret) error {
	if err := wellPasted(secret.Value); err != nil || p.checkSecret == nil || secret.Role == RoleHandshake {
		return err
	}
	return p.checkSecret(secret.Value)
}
