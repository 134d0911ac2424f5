package sender

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/sender/smtptest"
)

// email is the preset's, with another deadline.
func email(t testing.TB, deadline time.Duration) *policy.Policy {
	t.Helper()
	preset, known := policy.Preset(policy.Email)
	require.True(t, known)
	p := *preset
	p.Deadline = deadline
	return &p
}

// mailClaim is a claim of an event with a subject and a text.
func mailClaim(url, body string) *delivery.Claim {
	claim := claimFor(url)
	claim.Event.Tenant, claim.Event.Type, claim.Event.Body = delivery.OwnTenant, "malote.delivery.dead", []byte(body)
	return claim
}

// mailServer are the settings for a server at an address, which has a
// certificate for localhost if it has one.
func mailServer(t testing.TB, scheme, address, options string, password Password) *MailServer {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	server, err := ParseMailServer(scheme+"localhost:"+port+options, "Malote <malote@alerts.example>", password)
	require.NoError(t, err)
	return server
}

func inTheClear(t testing.TB, address string) *MailServer {
	return mailServer(t, "smtp://", address, "?starttls=never", "")
}

func TestMail_ArrivesAsItWasSaid(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t, smtptest.Options{})
	s := newSender(t, Options{MailServer: inTheClear(t, server.Addr)})
	claim := mailClaim("mailto:ops@example.com", `{"subject":"Webhook in the DLQ – é","text":"Line 1\n.\nLine 3: a=b\u0007\r\nend"}`)
	outcome := send(t, s, claim, email(t, patient))
	require.Equal(t, 250, outcome.Status)
	require.Empty(t, outcome.Error)

	mails := server.Mails()
	require.Len(t, mails, 1)
	got := mails[0]
	require.Equal(t, "malote@alerts.example", got.From)
	require.Equal(t, []string{"ops@example.com"}, got.To)
	require.Equal(t, "Webhook in the DLQ – é", got.Subject)
	require.Equal(t, "Line 1\n.\nLine 3: a=b\nend", strings.TrimSuffix(got.Text, "\n"))
	require.Equal(t, `"Malote" <malote@alerts.example>`, got.Header.Get("From"))
	require.Equal(t, "<ops@example.com>", got.Header.Get("To"))
	require.Equal(t, "auto-generated", got.Header.Get("Auto-Submitted"))
	id := claim.Event.ID.Format(delivery.EventPrefix)
	require.Equal(t, "<"+id+"@alerts.example>", got.Header.Get("Message-Id"))
	require.Equal(t, id, got.Header.Get("X-Malote-Event"))
	date, err := got.Header.Date()
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), date, time.Minute)

	send(t, s, claim, email(t, patient))
	require.Equal(t, got.Header.Get("Message-Id"), server.Mails()[1].Header.Get("Message-Id"), "a repeat can be recognised")
}

// What an endpoint's policy renders otherwise is shown as it is.
func TestMail_ShowsAnyBody(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t, smtptest.Options{})
	s := newSender(t, Options{MailServer: inTheClear(t, server.Addr)})
	for body, want := range map[string]string{`{"n":1}`: `{"n":1}`, "plain": "plain", `{"text":5}`: `{"text":5}`, "\xff": "\ufffd"} {
		send(t, s, mailClaim("mailto:ops@example.com", body), email(t, patient))
		mails := server.Mails()
		require.Equal(t, want, strings.TrimSpace(mails[len(mails)-1].Text))
		require.Equal(t, "malote.delivery.dead", mails[len(mails)-1].Subject)
	}
}

// Whom a mail is for may be the event's to say, where the URL names nobody.
func TestMail_TheEventNamesTheRecipient(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t, smtptest.Options{})
	s := newSender(t, Options{MailServer: inTheClear(t, server.Addr)})
	claim := mailClaim("mailto:", `{"text":"x"}`)
	for _, to := range []string{"", "nobody", "a@b.example\r\nRCPT TO:<x@b.example>", "a@b.example>"} {
		claim.Event.Headers = []delivery.Header{{Name: "To", Value: to}}
		require.Equal(t, delivery.URLNotAllowed, send(t, s, claim, email(t, patient)).Error, to)
	}
	require.Empty(t, server.Mails())
	claim.Event.Headers = []delivery.Header{{Name: "To", Value: "ops@acme.example"}}
	require.Equal(t, 250, send(t, s, claim, email(t, patient)).Status)
	require.Equal(t, []string{"ops@acme.example"}, server.Mails()[0].To)

	claim.Endpoint.URL = "mailto:ops@example.com"
	send(t, s, claim, email(t, patient))
	require.Equal(t, []string{"ops@example.com"}, server.Mails()[1].To, "a URL that names somebody is obeyed")
}

// Whatever is in a subject or text, it adds no header and no recipient.
func TestMail_HeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t, smtptest.Options{})
	s := newSender(t, Options{MailServer: inTheClear(t, server.Addr)})
	for _, subject := range []string{
		`x\r\nBcc: evil@example.com`, `x\nBcc: evil@example.com`, `x\r\n\r\nbody`, `x\u0000y`, `\u2028Bcc: evil@example.com`,
		strings.Repeat("long ", 400), strings.Repeat("a", 3000), `=?utf-8?q?=0D=0ABcc:_evil?=`,
	} {
		send(t, s, mailClaim("mailto:ops@example.com", `{"subject":"`+subject+`","text":"\r\n.\r\nMAIL FROM:<x@y>\r\n"}`), email(t, patient))
		mails := server.Mails()
		got := mails[len(mails)-1]
		require.Empty(t, got.Header.Get("Bcc"), subject)
		require.Equal(t, []string{"ops@example.com"}, got.To)
		require.Equal(t, "<ops@example.com>", got.Header.Get("To"))
		require.Contains(t, got.Text, "MAIL FROM:<x@y>", "the text goes on: the dot did not end it")
		require.LessOrEqual(t, len([]rune(got.Subject)), longestSubject)
	}
}

func TestMail_GoesOverTLSOrNotAtAll(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	good, expired := ca.server(t, "localhost", time.Now().Add(time.Hour)), ca.server(t, "localhost", time.Now().Add(-time.Hour))
	other := ca.server(t, "other.example", time.Now().Add(time.Hour))
	for name, c := range map[string]struct {
		scheme string
		server smtptest.Options
		want   delivery.ErrorCode
	}{
		"smtps":                 {"smtps://user@", smtptest.Options{TLS: good, Implicit: true, Username: "user", Password: "hush"}, ""},
		"starttls":              {"smtp://user@", smtptest.Options{TLS: good, Username: "user", Password: "hush"}, ""},
		"no starttls":           {"smtp://user@", smtptest.Options{Username: "user", Password: "hush"}, delivery.TLS},
		"smtps, expired":        {"smtps://user@", smtptest.Options{TLS: expired, Implicit: true}, delivery.TLS},
		"starttls, expired":     {"smtp://user@", smtptest.Options{TLS: expired}, delivery.TLS},
		"starttls, another":     {"smtp://user@", smtptest.Options{TLS: other}, delivery.TLS},
		"smtps to the clear":    {"smtps://user@", smtptest.Options{}, delivery.TLS},
		"wrong password":        {"smtps://user@", smtptest.Options{TLS: good, Implicit: true, Username: "user", Password: "other"}, delivery.SMTPAuth},
		"no way to log in":      {"smtps://user@", smtptest.Options{TLS: good, Implicit: true}, delivery.SMTPAuth},
		"starttls, self-signed": {"smtp://user@", smtptest.Options{TLS: selfSigned(t)}, delivery.TLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := smtptest.Start(t, c.server)
			s := newSender(t, Options{RootCAs: ca.pool, MailServer: mailServer(t, c.scheme, server.Addr, "", "hush")})
			outcome := send(t, s, mailClaim("mailto:ops@example.com", `{"text":"x"}`), email(t, patient))
			require.Equal(t, c.want, outcome.Error, outcome.ErrorText)
			require.NotContains(t, fmt.Sprintf("%+v", outcome), "hush")
			checked := s.CheckMail(t.Context(), patient)
			require.Equal(t, c.want, checked.Error, checked.ErrorText)
			if c.want == "" {
				require.Len(t, server.Mails(), 1, "looking sends nothing")
				require.Equal(t, 2, server.Logins())
			} else {
				require.Empty(t, server.Mails())
			}
		})
	}
}

// 4yz is for later, 5yz after a recipient was named is for good (RFC 5321 section
// 4.2.1); what the server has against Malote itself may be put right.
func TestMail_RefusalsAreTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		code    int
		want    delivery.ErrorCode
		text    string
	}{
		{"MAIL", 451, delivery.SMTPDeferred, "451 to the sender's address"},
		{"MAIL", 550, delivery.SMTPDeferred, "550 to the sender's address"},
		{"MAIL", 530, delivery.SMTPAuth, "530"},
		{"RCPT", 450, delivery.SMTPDeferred, "450 to the recipient"},
		{"RCPT", 550, delivery.SMTPRejected, "550 to the recipient"},
		{"RCPT", 530, delivery.SMTPAuth, "530"},
		{"DATA", 452, delivery.SMTPDeferred, "452 to the mail"},
		{"DATA", 554, delivery.SMTPRejected, "554 to the mail"},
	} {
		t.Run(fmt.Sprint(c.command, c.code), func(t *testing.T) {
			t.Parallel()
			server := smtptest.Start(t, smtptest.Options{Refuse: func(command, _ string) error {
				if command == c.command {
					return smtptest.Refusal(c.code, "no such\tuser here")
				}
				return nil
			}})
			s := newSender(t, Options{MailServer: inTheClear(t, server.Addr)})
			outcome := send(t, s, mailClaim("mailto:ops@example.com", `{"text":"x"}`), email(t, patient))
			require.Equal(t, c.want, outcome.Error)
			require.Equal(t, c.code, outcome.Status)
			require.Contains(t, outcome.ErrorText, c.text)
			require.Contains(t, string(outcome.Response), "no such\tuser here", "for the operator")
			require.Empty(t, server.Mails())
		})
	}
}

// Whatever a mail server does, the attempt ends by its deadline, with a reason.
func TestMail_HostileServers(t *testing.T) {
	t.Parallel()
	say := func(lines ...string) func(*peer) {
		return func(p *peer) {
			for i, line := range lines {
				if _, err := fmt.Fprint(p, line); err != nil {
					return
				}
				if i < len(lines)-1 {
					if _, err := p.in.ReadString('\n'); err != nil {
						return
					}
				}
			}
		}
	}
	for name, c := range map[string]struct {
		script   func(*peer)
		deadline time.Duration
		want     delivery.ErrorCode
		text     string
	}{
		"silence":        {(*peer).sit, hasty, delivery.Timeout, "had not greeted"},
		"busy":           {say("421 too many connections\r\n"), patient, delivery.SMTPDeferred, "421"},
		"no service":     {say("554 go away\r\n"), patient, delivery.SMTPDeferred, "554"},
		"closes at once": {say(""), patient, delivery.Reset, "had not greeted"},
		"not SMTP":       {say("HTTP/1.1 400 Bad Request\r\n\r\n"), patient, delivery.Protocol, "not valid SMTP"},
		"ends in MAIL":   {say("220 x\r\n", "250 x\r\n", ""), patient, delivery.Reset, "the sender's address"},
		"odd code":       {say("220 x\r\n", "250 x\r\n", "299 x\r\n"), patient, delivery.Protocol, "not valid SMTP"},
		"says too much": {func(p *peer) {
			for err := error(nil); err == nil; {
				_, err = fmt.Fprint(p, "220-", strings.Repeat("x", 1000), "\r\n")
			}
		}, patient, delivery.Protocol, "said more"},
		"never ends a line": {func(p *peer) {
			for err := error(nil); err == nil; {
				_, err = fmt.Fprint(p, strings.Repeat("2", 1000))
			}
		}, patient, delivery.Protocol, ""},
		"hangs after DATA": {func(p *peer) {
			say("220 x\r\n", "250 x\r\n", "250 x\r\n", "250 x\r\n", "354 x\r\n")(p)
			p.sit()
		}, hasty, delivery.Timeout, "had not taken the mail"},
		"ends after DATA": {func(p *peer) {
			say("220 x\r\n", "250 x\r\n", "250 x\r\n", "250 x\r\n", "354 x\r\n")(p)
			for {
				if line, err := p.in.ReadString('\n'); err != nil || line == ".\r\n" {
					return
				}
			}
		}, patient, delivery.Reset, "had not taken the mail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, c.script)
			s := newSender(t, Options{MailServer: inTheClear(t, server.address)})
			outcome := send(t, s, mailClaim("mailto:ops@example.com", `{"text":"x"}`), email(t, c.deadline))
			require.Equal(t, c.want, outcome.Error, outcome.ErrorText)
			require.Contains(t, outcome.ErrorText, c.text)
		})
	}
}

func TestMail_AServerThatHangsOnGoodbyeHasTheMail(t *testing.T) {
	t.Parallel()
	server := serve(t, func(p *peer) {
		for _, answer := range []string{"220 x", "250 x", "250 x", "250 x", "354 x"} {
			_, _ = fmt.Fprintf(p, "%s\r\n", answer)
			_, _ = p.in.ReadString('\n')
		}
		for line := ""; line != ".\r\n"; line, _ = p.in.ReadString('\n') {
		}
		_, _ = fmt.Fprint(p, "250 taken\r\n")
		<-p.receiver.over
	})
	s := newSender(t, Options{MailServer: inTheClear(t, server.address)})
	outcome := send(t, s, mailClaim("mailto:ops@example.com", `{"text":"x"}`), email(t, patient))
	require.Equal(t, 250, outcome.Status, outcome.ErrorText)
	require.Less(t, outcome.Duration, patient-time.Second)
}

func TestMail_AServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	s := newSender(t, Options{MailServer: inTheClear(t, listener.Addr().String())})
	require.Equal(t, delivery.ConnectRefused, send(t, s, mailClaim("mailto:ops@example.com", "x"), email(t, patient)).Error)

	nowhere := &MailServer{Host: "mail.invalid", Port: "25", Plaintext: true}
	s = newSender(t, Options{MailServer: nowhere})
	require.Equal(t, delivery.DNS, send(t, s, mailClaim("mailto:ops@example.com", "x"), email(t, patient)).Error)

	s = newSender(t, Options{})
	outcome := send(t, s, mailClaim("mailto:ops@example.com", "x"), email(t, patient))
	require.Equal(t, delivery.URLNotAllowed, outcome.Error)
	require.Contains(t, outcome.ErrorText, "--smtp-url")
	require.Equal(t, delivery.URLNotAllowed, s.CheckMail(t.Context(), patient).Error)
}

func TestMail_AStopInterrupts(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	server := serve(t, func(p *peer) {
		close(arrived)
		<-p.receiver.over
	})
	s := newSender(t, Options{MailServer: inTheClear(t, server.address)})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-arrived
		stop()
	}()
	outcome := s.Send(ctx, mailClaim("mailto:ops@example.com", "x"), email(t, patient), time.Now())
	require.Equal(t, delivery.InterruptedSend, outcome.Error)
	require.Less(t, outcome.Duration, patient)
}

func TestSend_WhatIsUnsignedNeedsNoSecret(t *testing.T) {
	t.Parallel()
	receiver := serve(t, func(p *peer) { p.answer("HTTP/1.1 204 No Content\r\n\r\n") })
	slack, _ := policy.Preset(policy.Slack)
	claim := claimFor(receiver.url())
	claim.Endpoint.Secrets = nil
	outcome := send(t, newSender(t, Options{}), claim, slack)
	require.Equal(t, 204, outcome.Status, outcome.ErrorText)
	_, requests := receiver.seen()
	require.Equal(t, 1, requests)
}

func TestParseMailServer(t *testing.T) {
	t.Parallel()
	const from = "Malote <malote@example.com>"
	server, err := ParseMailServer("smtps://user%40example.com@mail.example.com", from, "hush")
	require.NoError(t, err)
	require.Equal(t, "mail.example.com:465", server.address())
	require.Equal(t, "user@example.com", server.Username)
	require.True(t, server.ImplicitTLS)
	for _, shown := range []string{fmt.Sprint(server), fmt.Sprintf("%+v %#v %s", server, *server, server.Password)} {
		require.NotContains(t, shown, "hush")
	}
	for _, url := range []string{"smtp://mail.example.com", "smtp://mail.example.com:587/?starttls=required"} {
		server, err = ParseMailServer(url, "malote@example.com", "")
		require.NoError(t, err)
		require.Equal(t, "mail.example.com:587", server.address())
		require.False(t, server.ImplicitTLS || server.Plaintext, "STARTTLS is required")
	}
	for _, c := range []struct {
		url, from string
		password  Password
		says      string
	}{
		{"", from, "", "must be like"},
		{"mail.example.com:25", from, "", "must be like"},
		{"https://mail.example.com", from, "", "must be like"},
		{"smtp://", from, "", "must be like"},
		{"smtp://mail.example.com/inbox", from, "", "must be like"},
		{"smtps://user:hush@mail.example.com", from, "", "has a password in it"},
		{"smtps://user:hush@mail .example.com", from, "", "must be like"},
		{"smtps://user@mail.example.com", from, "", "no password"},
		{"smtps://mail.example.com", from, "hush", "no user name"},
		{"smtp://user@127.0.0.1:25?starttls=never", from, "hush", "in the clear"},
		{"smtp://mail.example.com?starttls=maybe", from, "", "required or never"},
		{"smtps://mail.example.com?starttls=never", from, "", "begins with TLS"},
		{"smtp://mail.example.com?verify=no", from, "", "no parameter but starttls"},
		{"smtp://mail.example.com", "", "", "whom mail comes from"},
		{"smtp://mail.example.com", "malote", "", "not an address"},
		{"smtp://mail.example.com", "a@example.com, b@example.com", "", "not an address"},
		{"smtp://mail.example.com", "\"a b\"@example.com", "", "not an address"},
	} {
		_, err := ParseMailServer(c.url, c.from, c.password)
		require.ErrorContains(t, err, c.says, c.url+" "+c.from)
		require.NotContains(t, err.Error(), "hush")
	}
}
