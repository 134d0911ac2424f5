package sender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"syscall"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// outcome says why a mail was not taken. What the server said is kept like the
// beginning of a failed HTTP response: only the operator sees it.
func (m *mailing) outcome(ctx context.Context, err error, p *policy.Policy) delivery.Outcome {
	if ended := m.ended(ctx); ended != nil {
		return ended.outcome()
	}
	if reply, ok := errors.AsType[*textproto.Error](err); ok && (reply.Code/100 == 4 || reply.Code/100 == 5) {
		failed := m.refused(reply)
		outcome := failed.outcome()
		outcome.Status = reply.Code
		said := printable(reply.Msg)
		outcome.Response = []byte(said[:min(len(said), p.Response.KeepFailed)])
		return outcome
	}
	return m.broken(err).outcome()
}

// ended is nil unless the attempt's own end came before the server's.
func (m *mailing) ended(ctx context.Context) *failure {
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errDeadline):
		return interrupted
	case !time.Now().Before(m.deadline):
		return &failure{delivery.Timeout, fmt.Sprintf("After %s %s.", m.allowed, m.step)}
	}
	return nil
}

// What servers answer to who is not logged in, or cannot (RFC 4954 section 6).
var loginReplies = []int{530, 534, 535, 538}

// refused judges a 4yz or 5yz. What is said before a recipient was named is about
// Malote's settings or the server itself, and may be put right; a mail is refused
// for good only by a 5yz after that.
func (m *mailing) refused(reply *textproto.Error) *failure {
	code, what := delivery.SMTPDeferred, "Malote"
	switch m.step {
	case mailLogin:
		what = "the user name and password"
	case mailSender:
		what = "the sender's address"
	case mailRecipient:
		what = "the recipient"
	case mailHanding:
		what = "the mail"
	}
	isFinal := m.step == mailRecipient || m.step == mailHanding
	switch {
	case reply.Code/100 == 5 && (slices.Contains(loginReplies, reply.Code) || m.step == mailLogin):
		code = delivery.SMTPAuth
	case reply.Code/100 == 5 && isFinal:
		code = delivery.SMTPRejected
	}
	return &failure{code, fmt.Sprintf("The mail server answered %d to %s.", reply.Code, what)}
}

// broken says what happened to a conversation that ended without a refusal.
func (m *mailing) broken(err error) *failure {
	switch {
	case errors.Is(err, errNoSTARTTLS):
		return &failure{delivery.TLS, "The mail server does not offer STARTTLS, and nothing is sent in the clear."}
	case errors.Is(err, errNoLogin):
		return &failure{delivery.SMTPAuth, "The mail server offers no way to log in that Malote knows."}
	case errors.Is(err, errTooMuch):
		return &failure{delivery.Protocol, "The mail server said more than a mail server has to say."}
	}
	if dial, ok := errors.AsType[*dialError](err); ok {
		return m.unreached(dial.err)
	}
	if refused := tlsRefused(err); refused != nil {
		return &failure{delivery.TLS, "The mail server's TLS certificate or handshake was not acceptable."}
	}
	if isNetwork := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || brokenOff(err); isNetwork {
		return &failure{delivery.Reset, "The mail server closed the connection: " + string(m.step) + "."}
	}
	if m.step == mailLogin {
		return &failure{delivery.SMTPAuth, delivery.SMTPAuth.Explain()}
	}
	return &failure{delivery.Protocol, "The mail server's answer was not valid SMTP."}
}

func (m *mailing) unreached(err error) *failure {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return &failure{delivery.DNS, "The mail server's host name could not be resolved."}
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return &failure{delivery.ConnectRefused, "The mail server refused the connection: nothing listens there."}
	}
	return &failure{delivery.Connect, "No connection to the mail server could be made."}
}
