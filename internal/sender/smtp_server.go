package sender

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strings"

	"github.com/malotehq/malote/internal/delivery"
)

// MailServer is the operator's SMTP server, which all mail goes through. The
// egress guard has no say in it: no tenant chose it.
type MailServer struct {
	Host string
	Port string

	// ImplicitTLS begins with TLS (smtps), as RFC 8314 prefers. Otherwise the
	// server must offer STARTTLS, or nothing is sent; unless Plaintext is set.
	ImplicitTLS bool
	Plaintext   bool

	Username string // "": none is asked for
	Password Password

	From mail.Address
}

// Password keeps a password out of every message and log line.
type Password string

// String implements fmt.Stringer.
func (Password) String() string { return "[hidden]" }

// GoString keeps it out of %#v.
func (Password) GoString() string { return "[hidden]" }

// MarshalText keeps it out of JSON.
func (Password) MarshalText() ([]byte, error) { return []byte("[hidden]"), nil }

// errMailURL never repeats the URL: somebody may have put a password into it.
var errMailURL = errors.New("the mail server must be like smtps://user@mail.example.com or smtp://user@mail.example.com:587")

// ParseMailServer reads smtps://user@host:465 or smtp://user@host:587, whose
// ?starttls=required is the default; starttls=never is for a relay on the same
// machine, and goes without a user. from is an address, perhaps with a name.
func ParseMailServer(rawURL, from string, password Password) (*MailServer, error) {
	server := &MailServer{Password: password}
	target, err := url.Parse(rawURL)
	if err != nil || target.Hostname() == "" || target.Opaque != "" || target.Fragment != "" || strings.Trim(target.Path, "/") != "" {
		return nil, errMailURL
	}
	if _, inURL := target.User.Password(); inURL {
		return nil, errors.New("the mail server's URL has a password in it: others can read command lines, so give it apart")
	}
	server.Host, server.Port, server.Username = target.Hostname(), target.Port(), target.User.Username()
	if err := server.readScheme(target); err != nil {
		return nil, err
	}
	switch {
	case server.Username != "" && password == "":
		return nil, errors.New("the mail server's URL has a user name, and there is no password for it")
	case server.Username == "" && password != "":
		return nil, errors.New("there is a password for the mail server, and no user name in its URL: write it like smtps://user@mail.example.com")
	case server.Plaintext && password != "":
		return nil, errors.New("with starttls=never the password would be sent in the clear: leave it out, or use starttls=required")
	}
	return server, server.readFrom(from)
}

func (s *MailServer) readScheme(target *url.URL) error {
	port := "587"
	switch target.Scheme {
	case "smtps":
		s.ImplicitTLS, port = true, "465"
	case "smtp":
	default:
		return errMailURL
	}
	if s.Port == "" {
		s.Port = port
	}
	options := target.Query()
	starttls := options.Get("starttls")
	delete(options, "starttls")
	switch {
	case len(options) > 0:
		return errors.New("the mail server's URL takes no parameter but starttls")
	case s.ImplicitTLS && starttls != "":
		return errors.New("smtps begins with TLS: leave starttls out, or write smtp://")
	case starttls == "never":
		s.Plaintext = true
	case starttls != "" && starttls != "required":
		return errors.New("starttls is required or never: one that is used only if it is offered protects from nobody")
	}
	return nil
}

func (s *MailServer) readFrom(from string) error {
	if from == "" {
		return errors.New("say whom mail comes from, such as \"Malote <malote@example.com>\"")
	}
	parsed, err := mail.ParseAddress(from)
	if err != nil || !delivery.ValidMailbox(parsed.Address) {
		return fmt.Errorf("%q is not an address that mail can come from: write it like \"Malote <malote@example.com>\"", from)
	}
	s.From = *parsed
	return nil
}

func (s *MailServer) address() string { return net.JoinHostPort(s.Host, s.Port) }

// domain is what message ids are unique within.
func (s *MailServer) domain() string {
	_, domain, _ := strings.Cut(s.From.Address, "@")
	return domain
}
