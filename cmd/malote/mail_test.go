package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/sender/smtptest"
)

func TestMailFlags(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte("hush\n"), 0o600))
	const url, from = "smtps://user@mail.example.com", "malote@example.com"
	for _, f := range []mailFlags{{SMTPURL: url, SMTPFrom: from, SMTPPassword: "hush"}, {SMTPURL: url, SMTPFrom: from, SMTPPasswordFile: file}} {
		server, err := f.mailServer()
		require.NoError(t, err)
		require.Equal(t, "hush", string(server.Password))
	}
	server, err := (&mailFlags{}).mailServer()
	require.NoError(t, err)
	require.Nil(t, server)
	for _, f := range []mailFlags{
		{SMTPFrom: from}, {SMTPPassword: "hush"}, {SMTPURL: url, SMTPFrom: from}, {SMTPURL: "smtps://user:hush@mail.example.com", SMTPFrom: from},
		{SMTPURL: url, SMTPPassword: "hush"}, {SMTPURL: url, SMTPFrom: from, SMTPPassword: "hush", SMTPPasswordFile: file},
	} {
		_, err := f.mailServer()
		require.ErrorAs(t, err, new(*usageError))
		require.NotContains(t, err.Error(), "hush")
	}
	_, err = (&mailFlags{SMTPURL: url, SMTPFrom: from, SMTPPasswordFile: file + "x"}).mailServer()
	require.ErrorContains(t, err, "reading the password")
}

func TestAlertFlags(t *testing.T) {
	t.Parallel()
	alerts, err := (&alertFlags{AlertWindow: time.Minute, AlertLag: 0, AlertRelayLag: 2 * time.Minute}).alerts()
	require.NoError(t, err)
	require.Equal(t, app.AlertOptions{Window: time.Minute, Lag: -1, RelayLag: 2 * time.Minute}, alerts)
	for _, f := range []alertFlags{{}, {AlertWindow: 1, AlertLag: -1}, {AlertWindow: 1, AlertRelayLag: time.Second}} {
		_, err := f.alerts()
		require.ErrorAs(t, err, new(*usageError))
	}
}

func TestDoctor_AsksTheMailServer(t *testing.T) {
	t.Parallel()
	mail := smtptest.Start(t, smtptest.Options{})
	doctor := doctorCommand{}
	require.Equal(t, warning, doctor.examineMail(t.Context())[0].Health)
	doctor.mailFlags = mailFlags{SMTPURL: "smtp://" + mail.Addr + "?starttls=never", SMTPFrom: "malote@example.com"}
	require.Equal(t, healthy, doctor.examineMail(t.Context())[0].Health)
	require.Empty(t, mail.Mails())
	doctor.SMTPURL = "smtp://" + mail.Addr
	found := doctor.examineMail(t.Context())[0]
	require.Equal(t, wrong, found.Health)
	require.Contains(t, found.Found, "STARTTLS")
	doctor.SMTPURL = "smtp://"
	require.Equal(t, wrong, doctor.examineMail(t.Context())[0].Health)
}
