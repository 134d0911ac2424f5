// Package smtptest is a mail server for tests: a real SMTP conversation with what
// sends, kept mails, and refusals where a test wants them. Only tests use it.
package smtptest

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Options of Start. The zero value takes all mail, in the clear, from anybody.
type Options struct {
	TLS      *tls.Config // offers STARTTLS, or with Implicit begins with TLS
	Implicit bool

	Username, Password string // "": nobody has to log in

	// Refuse answers a command instead; nil, or a nil error: it is taken. Commands
	// are MAIL, RCPT and DATA; DATA's argument is the content.
	Refuse func(command, argument string) error
}

// Refusal is an SMTP reply for Refuse.
func Refusal(code int, message string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: message}
}

// Server is a mail server that keeps what it takes.
type Server struct {
	Addr string // host:port

	options Options
	mu      sync.Mutex
	mails   []Mail
	logins  int
}

// Start runs a server on a port of its own until the test ends.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listening for mail: %v", err)
	}
	s := &Server{Addr: listener.Addr().String(), options: options}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	server.Domain, server.ErrorLog = "mail.test", log.New(io.Discard, "", 0)
	if options.Implicit {
		listener = tls.NewListener(listener, options.TLS)
	} else {
		server.TLSConfig = options.TLS
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return s
}

// Mails are those taken so far, in their order.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Logins counts the times that somebody logged in.
func (s *Server) Logins() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

// session is one connection.
type session struct {
	server  *Server
	isKnown bool
	from    string
	to      []string
}

func (s *session) refuse(command, argument string) error {
	if s.server.options.Refuse == nil {
		return nil
	}
	return s.server.options.Refuse(command, argument)
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.options.Username != "" && !s.isKnown {
		return Refusal(530, "Authentication required")
	}
	s.from, s.to = from, nil
	return s.refuse("MAIL", from)
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if err := s.refuse("RCPT", to); err != nil {
		return err
	}
	s.to = append(s.to, to)
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.refuse("DATA", string(content)); err != nil {
		return err
	}
	mail := read(content)
	mail.From, mail.To = s.from, s.to
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, mail)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() {}

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.server.options.Username == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != s.server.options.Username || password != s.server.options.Password {
			return smtp.ErrAuthFailed
		}
		s.isKnown = true
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		s.server.logins++
		return nil
	}), nil
}
