package sender

import (
	"bytes"
	"encoding/json"
	"net/mail"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Whatever an event says, its mail has our headers and no others, and is ASCII
// with short lines.
func FuzzMailMessage(f *testing.F) {
	f.Add("Webhook in the DLQ", "one\ntwo")
	f.Add("x\r\nBcc: a@b.example", "\r\n.\r\nQUIT\r\n")
	f.Add("\u2028\u0085\xff=?utf-8?q?=0D=0A?=", "\x00\x1b[31m")
	server := &MailServer{Host: "localhost", Port: "25", From: mail.Address{Name: "Malote", Address: "malote@alerts.example"}}
	f.Fuzz(func(t *testing.T, subject, text string) {
		body, err := json.Marshal(map[string]string{"subject": subject, "text": text})
		require.NoError(t, err)
		claim := mailClaim("mailto:ops@example.com", string(body))
		var written bytes.Buffer
		_, err = server.message(claim, "ops@example.com", "1", time.Now()).WriteTo(&written)
		require.NoError(t, err)
		read, err := mail.ReadMessage(bytes.NewReader(written.Bytes()))
		require.NoError(t, err)
		allowed := map[string]bool{
			"Date": true, "Mime-Version": true, "Message-Id": true, "Subject": true, "From": true, "To": true, "User-Agent": true, "X-Mailer": true,
			"Auto-Submitted": true, "X-Auto-Response-Suppress": true, "X-Malote-Event": true, "Content-Type": true, "Content-Transfer-Encoding": true,
		}
		for name, values := range read.Header {
			require.True(t, allowed[name], name)
			require.Len(t, values, 1, name)
		}
		for line := range bytes.SplitSeq(written.Bytes(), []byte("\r\n")) {
			require.LessOrEqual(t, len(line), 998, "RFC 5322 section 2.1.1")
			require.False(t, bytes.ContainsAny(line, "\r\n"))
			for _, c := range line {
				require.Less(t, c, byte(utf8.RuneSelf))
			}
		}
	})
}
