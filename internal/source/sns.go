package source

import (
	"crypto"
	"encoding/base64"
	"regexp"
	"strings"
	"time"
)

var awsSNS = &Provider{
	Name: "aws_sns", Title: "Amazon SNS",
	Headers:   []string{"x-amz-sns-message-type", "x-amz-sns-message-id", "x-amz-sns-topic-arn"},
	Signed:    "RSA over lines of names and values, with SHA-1 (SignatureVersion 1) or SHA-256 (2), base64, in the body's Signature",
	signsTime: true,
	Secret:    "the topic's ARN: every topic of every customer is signed by one key",
	Dedupe:    "MessageId",
	Type:      "Type",
	Handshake: "SubscriptionConfirmation: a GET to SubscribeURL, once its signature and topic hold",
	Retries:   "any 2xx",
	Gotcha:    "The content type is text/plain. Raw message delivery has no signature and is refused. The signed time is the publication's: a tolerance must be longer than the retries take.",
	verify:    verifySNS,
}

// What each type of message signs, in this order. Subject only when it is there.
var (
	snsNotification = []string{"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"}
	snsSubscription = []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
)

var snsHost = regexp.MustCompile(`^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$`)

// A certificate's name may be without its region.
var snsName = regexp.MustCompile(`^sns\.([a-z0-9-]{3,}\.)?amazonaws\.com(\.cn)?$`)

// snsMessage is what of a message counts.
type snsMessage struct {
	kind, id, topic, version, signature, certificate, subscribe string
	content                                                     string
	at                                                          time.Time
}

func verifySNS(c *call) (Verdict, *refusal) {
	document, refused := c.json()
	if refused != nil {
		return Verdict{}, refused
	}
	m, refused := readSNS(document)
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := c.token(m.topic, RoleHandshake)
	if refused != nil {
		if refused.reason == WrongToken {
			refused.reason = OtherTopic
		}
		return Verdict{}, refused
	}
	if refused := c.checkSNS(m); refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(m.at); refused != nil {
		return Verdict{}, refused
	}
	if m.kind != "SubscriptionConfirmation" {
		return c.event(secret, c.identified(m.id, m.kind)), nil
	}
	address, ok := pinned(m.subscribe, snsHost.MatchString)
	if !ok || address.Query().Get("Action") != "ConfirmSubscription" || address.Query().Get("TopicArn") != m.topic {
		return Verdict{}, malformed(HandshakeMalformed, "SubscribeURL")
	}
	v := handshake(secret, Response{Status: 200})
	v.ID, v.Type = tidy(m.id), m.kind
	v.Fetch = &Fetch{
		Purpose: FetchSubscription, Method: "GET", URL: m.subscribe, Host: address.Host, Key: m.subscribe, MaxBytes: maxFetched,
	}
	return v, nil
}

// checkSNS checks a message's signature.
func (c *call) checkSNS(m snsMessage) *refusal {
	hash := crypto.SHA256
	switch m.version {
	case "1":
		hash = crypto.SHA1
	case "2":
	default:
		return malformed(AlgorithmRefused, "SignatureVersion must be 1 or 2")
	}
	address, ok := pinned(m.certificate, snsHost.MatchString)
	if !ok || address.RawQuery != "" || !strings.HasSuffix(address.Path, ".pem") {
		return bad(KeyHostNotAllowed, "SigningCertURL")
	}
	signature, err := base64.StdEncoding.DecodeString(m.signature)
	if err != nil {
		return malformed(SignatureMalformed, "Signature is not base64")
	}
	certificate, refused := c.certificateAt(Fetch{
		Purpose: FetchCertificate, Method: "GET", URL: m.certificate, Host: address.Host, Key: m.certificate, MaxBytes: maxFetched,
	}, snsName.MatchString)
	if refused != nil {
		return refused
	}
	if !signedBy(certificate, hash, m.content, signature) {
		return bad(WrongSecret, "the message was changed, or another key signed it")
	}
	return nil
}

// readSNS takes a message apart.
func readSNS(document value) (snsMessage, *refusal) {
	var m snsMessage
	for name, into := range map[string]*string{
		"Type": &m.kind, "TopicArn": &m.topic, "SignatureVersion": &m.version,
		"Signature": &m.signature, "SigningCertURL": &m.certificate, "MessageId": &m.id,
	} {
		var refused *refusal
		if *into, refused = field(document, name); refused != nil {
			return m, refused
		}
	}
	names := snsSubscription
	switch m.kind {
	case "Notification":
		names = snsNotification
	case "SubscriptionConfirmation", "UnsubscribeConfirmation":
	default:
		return m, malformed(BodyMalformed, "Type is none of Amazon SNS's")
	}
	var content strings.Builder
	for _, name := range names {
		text, refused := field(document, name)
		switch {
		case refused != nil && name == "Subject" && (refused.reason == FieldMissing || refused.reason == BodyMalformed):
			continue
		case refused != nil:
			return m, refused
		}
		switch name {
		case "SubscribeURL":
			m.subscribe = text
		case "Timestamp":
			if m.at, refused = rfc3339(name, text); refused != nil {
				return m, refused
			}
		}
		content.WriteString(name + "\n" + text + "\n")
	}
	m.content = content.String()
	return m, nil
}
