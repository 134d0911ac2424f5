package sender

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	netmail "net/mail"
	"os"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/policy"
)

type mailAddress = netmail.Address

const (
	// mailAccepted is the status of a mail that the server has taken (RFC 5321
	// section 4.2.3): the HTTP policies' 2xx.
	mailAccepted = 250

	// mostReplies bounds what a mail server may say in one conversation, in bytes.
	mostReplies = 256 << 10

	// goodbye is how long the server has to answer QUIT.
	goodbye = time.Second
)

// errTooMuch ends a conversation with a server that does not stop talking.
var errTooMuch = errors.New("the mail server says too much")

// mail makes one attempt by SMTP. It uses a connection of its own: mails are few,
// and what is left of a conversation that failed is no concern of the next.
func (s *Sender) mail(ctx context.Context, claim *delivery.Claim, p *policy.Policy, now, deadline time.Time) delivery.Outcome {
	if s.mailServer == nil {
		return (&failure{delivery.URLNotAllowed, "No mail server is configured: set --smtp-url and --smtp-from."}).outcome()
	}
	to := recipient(claim, egress.MailtoAddress(claim.Endpoint.URL))
	if to == "" {
		return (&failure{delivery.URLNotAllowed, "Neither the endpoint's URL nor the event names an address to mail to."}).outcome()
	}
	ctx, cancel := context.WithDeadlineCause(ctx, deadline, errDeadline)
	defer cancel()
	m := &mailing{server: s.mailServer, tls: s.mailTLS, deadline: deadline, allowed: p.Deadline}
	message := s.mailServer.message(claim, to, s.version, now)
	if err := m.converse(ctx, func(client *smtp.Client) error { return m.hand(client, message, to) }); err != nil {
		return m.outcome(ctx, err, p)
	}
	return delivery.Outcome{Status: mailAccepted}
}

// CheckMail connects and logs in, and sends nothing. Its outcome has no error if
// that worked.
func (s *Sender) CheckMail(ctx context.Context, patience time.Duration) delivery.Outcome {
	if s.mailServer == nil {
		return (&failure{delivery.URLNotAllowed, "No mail server is configured."}).outcome()
	}
	m := &mailing{server: s.mailServer, tls: s.mailTLS, deadline: time.Now().Add(patience), allowed: patience}
	ctx, cancel := context.WithDeadlineCause(ctx, m.deadline, errDeadline)
	defer cancel()
	if err := m.converse(ctx, func(*smtp.Client) error { return nil }); err != nil {
		return m.outcome(ctx, err, &policy.Policy{})
	}
	return delivery.Outcome{Status: mailAccepted}
}

// mailStep is how far a conversation has come.
type mailStep string

// The steps, as what a server that stopped answering in one of them had not done.
const (
	mailConnecting mailStep = "no connection to the mail server had been made"
	mailSecuring   mailStep = "the TLS handshake with the mail server was not complete"
	mailGreeting   mailStep = "the mail server had not greeted"
	mailLogin      mailStep = "the mail server had not let Malote in"
	mailSender     mailStep = "the mail server had not taken the sender's address"
	mailRecipient  mailStep = "the mail server had not taken the recipient"
	mailHanding    mailStep = "the mail server had not taken the mail"
)

// mailing is one conversation with the mail server.
type mailing struct {
	server   *MailServer
	tls      *tls.Config
	deadline time.Time
	allowed  time.Duration

	step mailStep
}

// converse connects, secures the connection, logs in, does its work and says
// goodbye. Whatever the server does, it ends by the deadline or with ctx.
func (m *mailing) converse(ctx context.Context, work func(*smtp.Client) error) error {
	m.step = mailConnecting
	plain, err := (&net.Dialer{Deadline: m.deadline}).DialContext(ctx, "tcp", m.server.address())
	if err != nil {
		return &dialError{err}
	}
	defer plain.Close()
	if err := plain.SetDeadline(m.deadline); err != nil {
		return &dialError{err}
	}
	defer context.AfterFunc(ctx, func() { plain.Close() })() // a stop need not wait for the server
	conn, err := m.secured(ctx, &boundedConn{Conn: plain, left: mostReplies})
	if err != nil {
		return err
	}
	client, err := m.greet(conn)
	if err != nil {
		return err
	}
	if err := m.login(client); err != nil {
		return err
	}
	if err := work(client); err != nil {
		return err
	}
	// The work is done, however the server takes the goodbye.
	if plain.SetDeadline(time.Now().Add(goodbye)) == nil {
		_ = client.Quit()
	}
	return nil
}

func (m *mailing) secured(ctx context.Context, conn net.Conn) (net.Conn, error) {
	if !m.server.ImplicitTLS {
		return conn, nil
	}
	m.step = mailSecuring
	secure := tls.Client(conn, m.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, &handshakeError{err}
	}
	return secure, nil
}

// errNoSTARTTLS: the server would take mail in the clear only.
var errNoSTARTTLS = errors.New("the mail server does not offer STARTTLS")

func (m *mailing) greet(conn net.Conn) (*smtp.Client, error) {
	m.step = mailGreeting
	client, err := smtp.NewClient(conn, m.server.Host)
	if err != nil {
		return nil, err
	}
	client.SkipSMTPUTF8(true) // addresses are ASCII, and some relays pass on nothing that claims otherwise
	if err := client.Hello(ownName()); err != nil {
		return nil, err
	}
	if m.server.ImplicitTLS || m.server.Plaintext {
		return client, nil
	}
	m.step = mailSecuring
	if offered, _ := client.Extension("STARTTLS"); !offered {
		return nil, errNoSTARTTLS
	}
	return client, client.StartTLS(m.tls)
}

// ownName is what Malote calls itself to the server (RFC 5321 section 4.1.1.1).
func ownName() string {
	name, err := os.Hostname()
	if err != nil || !delivery.ValidMailbox("x@"+name) {
		return "localhost"
	}
	return name
}

// errNoLogin: the server has no way to log in that Malote knows.
var errNoLogin = errors.New("the mail server offers no way to log in that Malote knows")

// login uses the strongest way that the server offers.
func (m *mailing) login(client *smtp.Client) error {
	if m.server.Username == "" {
		return nil
	}
	m.step = mailLogin
	_, offered := client.Extension("AUTH")
	user, password := m.server.Username, string(m.server.Password)
	for _, mechanism := range strings.Fields("SCRAM-SHA-256 SCRAM-SHA-1 PLAIN LOGIN") {
		if !containsWord(offered, mechanism) {
			continue
		}
		switch mechanism {
		case "SCRAM-SHA-256":
			return client.Auth(smtp.ScramSHA256Auth(user, password))
		case "SCRAM-SHA-1":
			return client.Auth(smtp.ScramSHA1Auth(user, password))
		case "PLAIN":
			return client.Auth(smtp.PlainAuth("", user, password, m.server.Host, false))
		default:
			return client.Auth(smtp.LoginAuth(user, password, m.server.Host, false))
		}
	}
	return errNoLogin
}

func containsWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// hand gives the server one mail. Addresses are checked: none can end its command.
func (m *mailing) hand(client *smtp.Client, message *mail.Msg, to string) error {
	m.step = mailSender
	if err := client.Mail("<" + m.server.From.Address + ">"); err != nil {
		return err
	}
	m.step = mailRecipient
	if err := client.Rcpt("<" + to + ">"); err != nil {
		return err
	}
	m.step = mailHanding
	content, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := message.WriteTo(content); err != nil {
		return err
	}
	return content.Close()
}

// boundedConn ends when too much was read from it.
type boundedConn struct {
	net.Conn
	left int
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooMuch
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
