package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/sender"
)

// mailFlags say how mail is sent.
type mailFlags struct {
	SMTPURL          string `name:"smtp-url" help:"The SMTP server that alerts are mailed by, as smtps://user@host:465 or smtp://user@host:587 with STARTTLS; without any, nothing is mailed. On the same machine, without TLS: smtp://127.0.0.1:25?starttls=never." placeholder:"URL"`
	SMTPFrom         string `name:"smtp-from" help:"Whom that mail comes from, such as 'Malote <malote@example.com>'." placeholder:"ADDRESS"`
	SMTPPassword     string `name:"smtp-password" help:"The password of the user in --smtp-url. Better set as MALOTE_SMTP_PASSWORD: others can read command lines." placeholder:"PASSWORD"`
	SMTPPasswordFile string `name:"smtp-password-file" help:"A file with that password alone." type:"path" placeholder:"FILE"`
}

// mailServer is the server of the flags; nil if there is none. No error has the
// password in it.
func (f *mailFlags) mailServer() (*sender.MailServer, error) {
	if f.SMTPURL == "" {
		if f.SMTPFrom != "" || f.SMTPPassword != "" || f.SMTPPasswordFile != "" {
			return nil, &usageError{"there is no --smtp-url that the other --smtp flags could be for"}
		}
		return nil, nil
	}
	password := f.SMTPPassword
	if f.SMTPPasswordFile != "" {
		if password != "" {
			return nil, &usageError{"--smtp-password and --smtp-password-file are both set: keep one of them"}
		}
		text, err := os.ReadFile(f.SMTPPasswordFile)
		if err != nil {
			return nil, fmt.Errorf("reading the password of the mail server: %w", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	server, err := sender.ParseMailServer(f.SMTPURL, f.SMTPFrom, sender.Password(password))
	if err != nil {
		return nil, &usageError{"--smtp-url, --smtp-from: " + err.Error()}
	}
	return server, nil
}

// mailPatience is how long the doctor waits for the mail server.
const mailPatience = 10 * time.Second

// examineMail connects to the mail server and logs in, and mails nothing.
func (f *doctorCommand) examineMail(ctx context.Context) []finding {
	found := finding{Check: "mail", Health: healthy}
	server, err := f.mailServer()
	switch {
	case err != nil:
		found.Health, found.Found, found.Fix = wrong, oneLine(err.Error()), "write them as malote serve has them"
		return []finding{found}
	case server == nil:
		found.Health, found.Found = warning, "no SMTP server is configured: nobody is mailed of dead deliveries and failing endpoints"
		found.Fix = "set --smtp-url and --smtp-from, or let alerts go to a webhook or chat service alone (docs/alerts.md)"
		return []finding{found}
	}
	checked := sender.New(sender.Options{MailServer: server, Version: version()}).CheckMail(ctx, mailPatience)
	if checked.Error != "" {
		found.Health, found.Found = wrong, fmt.Sprintf("%s at %s (%s)", checked.ErrorText, server.Host, checked.Error)
		found.Fix = "correct --smtp-url and the password, or see to the mail server; mail waits in the queue and is tried for two days"
		return []finding{found}
	}
	found.Found = "the mail server at " + server.Host + " lets Malote in"
	return []finding{found}
}

// alertFlags say when people are told.
type alertFlags struct {
	AlertWindow   time.Duration `help:"How long alerts of a kind are gathered into the next notice, after one." default:"5m"`
	AlertLag      time.Duration `help:"How late deliveries to healthy endpoints may be before somebody is told; 0: they are not watched." default:"5m"`
	AlertRelayLag time.Duration `help:"How long rows may wait in an outbox before somebody is told, at least 1m; 0: they are not watched." default:"2m"`
}

func (f *alertFlags) alerts() (app.AlertOptions, error) {
	if f.AlertWindow <= 0 || f.AlertLag < 0 || f.AlertRelayLag < 0 || f.AlertRelayLag > 0 && f.AlertRelayLag < time.Minute {
		return app.AlertOptions{}, &usageError{"--alert-window must be more than 0, --alert-lag 0 or more, and --alert-relay-lag 0 or at least 1m"}
	}
	return app.AlertOptions{Window: f.AlertWindow, Lag: orOff(f.AlertLag), RelayLag: orOff(f.AlertRelayLag)}, nil
}

// orOff is how app has a threshold of 0.
func orOff(threshold time.Duration) time.Duration {
	if threshold == 0 {
		return -1
	}
	return threshold
}
