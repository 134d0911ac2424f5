package main

import (
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// standard is Standard Webhooks', by the names that a sender gives the headers.
func standard(prefix string) func(*sample) error {
	return func(s *sample) error {
		if strings.HasPrefix(s.Secret, "whpk_") {
			return &usageError{"a public key can only verify: have the provider send a test itself"}
		}
		key, err := base64Key(strings.TrimPrefix(s.Secret, "whsec_"))
		now := unixSeconds(s)
		s.add(prefix+"id", s.ID)
		s.add(prefix+"timestamp", now)
		s.add(prefix+"signature", "v1,"+base64Text(mac(crypto.SHA256, key, []byte(s.ID+"."+now+"."), s.Body)))
		return err
	}
}

// setBody is for signers that make the sample's body themselves.
func (s *sample) setBody(value any) {
	if len(s.Body) == 0 {
		s.Body = encoded(value)
	}
}

// signAdyen signs an item's fields; its place in the body is known.
func signAdyen(s *sample) error {
	key, err := hexKey(s.Secret)
	if err != nil {
		return err
	}
	if !strings.Contains(string(s.Body), "$SIGNATURE") {
		return errors.New("the signature stands in the body of Adyen's requests: leave --body out")
	}
	signed := []byte(strings.Join([]string{s.ID, "", "Test", "test", "1130", "EUR", "AUTHORISATION", "true"}, ":"))
	s.Body = []byte(strings.ReplaceAll(string(s.Body), "$SIGNATURE", base64Text(mac(crypto.SHA256, key, signed))))
	return nil
}

func signHubSpot(s *sample) error {
	now := unixMilliseconds(s)
	s.add("X-HubSpot-Request-Timestamp", now)
	s.add("X-HubSpot-Signature-v3", base64Text(mac(crypto.SHA256, []byte(s.Secret), []byte(http.MethodPost+s.URL), s.Body, []byte(now))))
	return nil
}

func signHubSpotV1(s *sample) error {
	s.add("X-HubSpot-Signature-Version", "v1")
	s.add("X-HubSpot-Signature", plainHash([]byte(s.Secret), s.Body))
	return nil
}

func signHubSpotV2(s *sample) error {
	s.add("X-HubSpot-Signature-Version", "v2")
	s.add("X-HubSpot-Signature", plainHash([]byte(s.Secret), []byte(http.MethodPost+s.URL), s.Body))
	return nil
}

func signPagBank(s *sample) error {
	s.add("x-authenticity-token", plainHash([]byte(s.Secret), []byte("-"), s.Body))
	return nil
}

func plainHash(parts ...[]byte) string {
	sum := sha256.Sum256(slices.Concat(parts...))
	return hex.EncodeToString(sum[:])
}

func signLinear(s *sample) error {
	s.setBody(map[string]any{"type": "Issue", "action": "create", "webhookTimestamp": s.At.UnixMilli(), "data": map[string]any{"id": s.ID}})
	s.add("Linear-Signature", hex.EncodeToString(mac(crypto.SHA256, []byte(s.Secret), s.Body)))
	return nil
}

// signMailgun signs its own few fields, and no data.
func signMailgun(s *sample) error {
	if len(s.Body) > 0 {
		return errors.New("the signature stands in the body of Mailgun's requests: leave --body out")
	}
	now := unixSeconds(s)
	s.setBody(map[string]any{
		"signature": map[string]any{
			"timestamp": now, "token": s.ID, "signature": hex.EncodeToString(mac(crypto.SHA256, []byte(s.Secret), []byte(now+s.ID))),
		},
		"event-data": map[string]any{"id": s.ID, "event": "delivered"},
	})
	return nil
}

func signMercadoPago(s *sample) error {
	now := unixMilliseconds(s)
	s.Query = "?data.id=" + s.ID + "&type=payment"
	manifest := fmt.Sprintf("id:%s;request-id:%s;ts:%s;", s.ID, s.ID, now)
	s.add("x-signature", "ts="+now+",v1="+hex.EncodeToString(mac(crypto.SHA256, []byte(s.Secret), []byte(manifest))))
	return nil
}

func signMSGraph(s *sample) error {
	if len(s.Body) > 0 {
		return errors.New("the secret stands in the body of Microsoft Graph's requests: leave --body out")
	}
	s.setBody(map[string]any{"value": []any{map[string]any{
		"id": s.ID, "subscriptionId": "test", "changeType": "created", "clientState": s.Secret, "resource": "test",
	}}})
	return nil
}

func signSquare(s *sample) error {
	s.add("x-square-hmacsha256-signature", base64Text(mac(crypto.SHA256, []byte(s.Secret), []byte(s.URL), s.Body)))
	return nil
}

// signTwilio sends a form, whose fields are signed in their order.
func signTwilio(s *sample) error {
	if len(s.Body) == 0 {
		s.Body = []byte(url.Values{"MessageSid": {s.ID}, "Body": {"It works."}, "From": {"+15550100"}}.Encode())
	}
	form, err := url.ParseQuery(string(s.Body))
	if err != nil {
		return &usageError{"Twilio's body must be a form"}
	}
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	signed := s.URL
	for _, name := range names {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(form[name]))) {
			signed += name + value
		}
	}
	s.Header[0][1] = "application/x-www-form-urlencoded"
	s.add("X-Twilio-Signature", base64Text(mac(crypto.SHA1, []byte(s.Secret), []byte(signed))))
	return nil
}

func signZendesk(s *sample) error {
	now := s.At.UTC().Format(time.RFC3339)
	s.add("X-Zendesk-Webhook-Signature-Timestamp", now)
	s.add("X-Zendesk-Webhook-Signature", base64Text(mac(crypto.SHA256, []byte(s.Secret), []byte(now), s.Body)))
	return nil
}

// genericRule is a generic source's rule, as the API shows it.
type genericRule struct {
	Auth            string `json:"auth"`
	Header          string `json:"header"`
	Prefix          string `json:"prefix"`
	Encoding        string `json:"encoding"`
	Algorithm       string `json:"algorithm"`
	SecretEncoding  string `json:"secret_encoding"`
	Content         string `json:"content"`
	TimestampHeader string `json:"timestamp_header"`
	TimestampFormat string `json:"timestamp_format"`
	Parameter       string `json:"parameter"`
	ID              string `json:"id"`
	Type            string `json:"type"`
}

func readGenericRule(text []byte) (rule genericRule, err error) {
	if err := json.Unmarshal(text, &rule); err != nil {
		return genericRule{}, fmt.Errorf("the source's rule is not what this version of malote expects: %w", err)
	}
	return rule, nil
}
