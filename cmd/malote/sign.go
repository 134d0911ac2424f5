package main

import (
	"crypto"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"strconv"

	_ "crypto/sha1" //nolint:gosec // some providers sign with it; as a keyed hash it holds
	_ "crypto/sha256"
	_ "crypto/sha512"
)

// signer makes a provider's samples. In its texts $ID is the sample's id.
type signer struct {
	body   string
	header [][2]string // besides the signature and the content type
	sign   func(*sample) error
}

// signers are those for providers whose secret both sides have. What each does is
// what internal/source asks for, written down a second time; tests hold the two
// together.
var signers = map[string]signer{
	"adyen": {adyenBody, nil, signAdyen},
	"adyen_platform": {
		`{"type": "malote.test", "pspReference": "$ID", "data": {"id": "$ID"}}`, nil,
		overBody("HmacSignature", "", crypto.SHA256, base64Text, hexKey),
	},
	"asaas": {`{"id": "$ID", "event": "PAYMENT_CREATED", "payment": {}}`, nil, token("asaas-access-token")},
	"bitbucket": {
		`{"push": {"changes": []}}`,
		[][2]string{{"X-Request-UUID", "$ID"}, {"X-Event-Key", "repo:push"}},
		bodyInHex("X-Hub-Signature", "sha256="),
	},
	"calendly": {
		`{"event": "invitee.created", "created_at": "2026-01-01T00:00:00Z", "payload": {"uri": "https://api.calendly.com/$ID"}}`, nil,
		timed("Calendly-Webhook-Signature", "t", ",", "v1", ".", hex.EncodeToString, unixSeconds),
	},
	"clerk": {`{"type": "user.created", "data": {"id": "$ID"}}`, nil, standard("svix-")},
	"docusign": {
		`{"event": "envelope-completed", "data": {"envelopeId": "$ID"}}`, nil,
		bodyInBase64("X-DocuSign-Signature-1", ""),
	},
	"dropbox": {`{"list_folder": {"accounts": ["$ID"]}}`, nil, bodyInHex("X-Dropbox-Signature", "")},
	"github": {
		`{"zen": "Keep it logically awesome.", "hook_id": 1}`,
		[][2]string{{"X-GitHub-Delivery", "$ID"}, {"X-GitHub-Event", "ping"}},
		bodyInHex("X-Hub-Signature-256", "sha256="),
	},
	"gitlab": {
		`{"object_kind": "push", "ref": "refs/heads/main"}`,
		[][2]string{{"X-Gitlab-Event", "Push Hook"}, {"X-Gitlab-Event-UUID", "$ID"}},
		token("X-Gitlab-Token"),
	},
	"hubspot":    {hubspotBody, nil, signHubSpot},
	"hubspot_v1": {hubspotBody, nil, signHubSpotV1},
	"hubspot_v2": {hubspotBody, nil, signHubSpotV2},
	"intercom": {
		`{"type": "notification_event", "id": "$ID", "topic": "conversation.user.created"}`, nil,
		overBody("X-Hub-Signature", "sha1=", crypto.SHA1, hex.EncodeToString, verbatim),
	},
	"jira": {
		`{"webhookEvent": "jira:issue_created", "issue": {"key": "TEST-1"}}`,
		[][2]string{{"X-Atlassian-Webhook-Identifier", "$ID"}},
		bodyInHex("X-Hub-Signature", "sha256="),
	},
	"linear":  {"", [][2]string{{"Linear-Delivery", "$ID"}, {"Linear-Event", "Issue"}}, signLinear},
	"mailgun": {"", nil, signMailgun},
	"mercadopago": {
		`{"id": "$ID", "type": "payment", "action": "payment.created", "data": {"id": "$ID"}}`,
		[][2]string{{"x-request-id", "$ID"}},
		signMercadoPago,
	},
	"meta":    {metaBody, nil, bodyInHex("X-Hub-Signature-256", "sha256=")},
	"msgraph": {"", nil, signMSGraph},
	"okta": {
		`{"eventType": "com.okta.event_hook", "data": {"events": [{"uuid": "$ID", "eventType": "user.session.start"}]}}`, nil,
		token("Authorization"),
	},
	"paddle": {
		`{"event_id": "$ID", "event_type": "transaction.completed", "data": {}}`, nil,
		timed("Paddle-Signature", "ts", ";", "h1", ":", hex.EncodeToString, unixSeconds),
	},
	"pagbank":  {`{"id": "$ID", "charges": []}`, nil, signPagBank},
	"postmark": {`{"RecordType": "Delivery", "MessageID": "$ID", "DeliveredAt": "2026-01-01T00:00:00Z"}`, nil, basic},
	"resend":   {`{"type": "email.delivered", "data": {"email_id": "$ID"}}`, nil, standard("svix-")},
	"sanity": {
		`{"_id": "$ID", "_type": "post"}`,
		[][2]string{{"idempotency-key", "$ID"}, {"sanity-operation", "create"}},
		timed("sanity-webhook-signature", "t", ",", "v1", ".", base64.RawURLEncoding.EncodeToString, unixMilliseconds),
	},
	"shopify": {
		`{"id": 1, "name": "#1001"}`,
		[][2]string{{"X-Shopify-Webhook-Id", "$ID"}, {"X-Shopify-Topic", "orders/create"}},
		bodyInBase64("X-Shopify-Hmac-Sha256", ""),
	},
	"slack": {
		`{"type": "event_callback", "event_id": "$ID", "event": {"type": "app_mention"}}`, nil,
		versionZero("X-Slack-Signature", "X-Slack-Request-Timestamp"),
	},
	"square":            {`{"event_id": "$ID", "type": "payment.created", "data": {}}`, nil, signSquare},
	"standard_webhooks": {`{"type": "malote.test", "data": {"id": "$ID"}}`, nil, standard("webhook-")},
	"stripe": {
		`{"id": "evt_$ID", "object": "event", "type": "payment_intent.succeeded", "data": {"object": {}}}`, nil,
		timed("Stripe-Signature", "t", ",", "v1", ".", hex.EncodeToString, unixSeconds),
	},
	"svix":     {`{"type": "malote.test", "data": {"id": "$ID"}}`, nil, standard("svix-")},
	"twilio":   {"", nil, signTwilio},
	"typeform": {`{"event_id": "$ID", "event_type": "form_response"}`, nil, bodyInBase64("Typeform-Signature", "sha256=")},
	"whatsapp": {metaBody, nil, bodyInHex("X-Hub-Signature-256", "sha256=")},
	"zendesk": {
		`{"type": "zen:event-type:ticket.created", "id": "$ID"}`,
		[][2]string{{"X-Zendesk-Webhook-Invocation-Id", "$ID"}},
		signZendesk,
	},
	"zoom": {
		`{"event": "meeting.started", "payload": {"object": {"id": "$ID"}}}`, nil,
		versionZero("x-zm-signature", "x-zm-request-timestamp"),
	},
}

const (
	hubspotBody = `[{"eventId": 1, "subscriptionId": 1, "subscriptionType": "contact.creation", "objectId": 1, "occurredAt": "$ID"}]`
	metaBody    = `{"object": "page", "entry": [{"id": "1", "changes": [{"field": "feed", "value": {"item": "$ID"}}]}]}`
	adyenBody   = `{"live": "false", "notificationItems": [{"NotificationRequestItem": {"pspReference": "$ID", "merchantAccountCode": "Test",
 "merchantReference": "test", "amount": {"value": 1130, "currency": "EUR"}, "eventCode": "AUTHORISATION", "success": "true",
 "additionalData": {"hmacSignature": "$SIGNATURE"}}}]}`
)

// keyOf reads a secret as the provider writes it.
type keyOf func(secret string) ([]byte, error)

func verbatim(secret string) ([]byte, error) { return []byte(secret), nil }

func hexKey(secret string) ([]byte, error) {
	key, err := hex.DecodeString(secret)
	if err != nil {
		return nil, &usageError{"the secret must be hexadecimal, as the provider shows it"}
	}
	return key, nil
}

func base64Text(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }

func mac(hash crypto.Hash, key []byte, parts ...[]byte) []byte {
	sum := hmac.New(hash.New, key)
	for _, part := range parts {
		sum.Write(part)
	}
	return sum.Sum(nil)
}

// overBody is the commonest rule: a signature of the body alone.
func overBody(header, prefix string, hash crypto.Hash, write func([]byte) string, key keyOf) func(*sample) error {
	return func(s *sample) error {
		secret, err := key(s.Secret)
		s.add(header, prefix+write(mac(hash, secret, s.Body)))
		return err
	}
}

func bodyInHex(header, prefix string) func(*sample) error {
	return overBody(header, prefix, crypto.SHA256, hex.EncodeToString, verbatim)
}

func bodyInBase64(header, prefix string) func(*sample) error {
	return overBody(header, prefix, crypto.SHA256, base64Text, verbatim)
}

// token is the secret itself in a header.
func token(header string) func(*sample) error {
	return func(s *sample) error {
		s.add(header, s.Secret)
		return nil
	}
}

func basic(s *sample) error {
	s.add("Authorization", "Basic "+base64Text([]byte(s.Secret)))
	return nil
}

func unixSeconds(s *sample) string      { return strconv.FormatInt(s.At.Unix(), 10) }
func unixMilliseconds(s *sample) string { return strconv.FormatInt(s.At.UnixMilli(), 10) }

// timed is a list of a time and a signature of both.
func timed(header, clock, separator, version, joint string, write func([]byte) string, at func(*sample) string) func(*sample) error {
	return func(s *sample) error {
		now := at(s)
		sum := mac(crypto.SHA256, []byte(s.Secret), []byte(now+joint), s.Body)
		s.add(header, clock+"="+now+separator+version+"="+write(sum))
		return nil
	}
}

// versionZero is Slack's and Zoom's.
func versionZero(signature, timestamp string) func(*sample) error {
	return func(s *sample) error {
		now := unixSeconds(s)
		s.add(timestamp, now)
		s.add(signature, "v0="+hex.EncodeToString(mac(crypto.SHA256, []byte(s.Secret), []byte("v0:"+now+":"), s.Body)))
		return nil
	}
}
