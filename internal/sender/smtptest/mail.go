package smtptest

import (
	"bytes"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
)

// Mail is one that a server took.
type Mail struct {
	From string   // of the envelope
	To   []string // of the envelope

	Header  mail.Header
	Subject string // decoded
	Text    string // decoded
	Raw     []byte
}

// read takes a mail apart as a mail program would. What cannot be read stays in Raw.
func read(content []byte) Mail {
	m := Mail{Raw: content}
	message, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return m
	}
	m.Header = message.Header
	m.Subject, _ = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	body := message.Body
	if message.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, _ := io.ReadAll(body)
	m.Text = string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return m
}
