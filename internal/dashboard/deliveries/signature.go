package deliveries

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

// check is what comparing a signature came to. The secret is not in it.
type check struct {
	Timestamp string
	Signature string
	Holds     bool
	Verdict   lang.Text
}

// checkSignature compares what a receiver got with the bytes that are sent, with
// the secret that the receiver says it uses.
func checkSignature(r *page.Request) error {
	view, err := viewOf(r)
	if err != nil {
		return err
	}
	body, err := bodyOf(r, view.Delivery.ID)
	if err != nil {
		return err
	}
	if body == nil || view.Policy == nil {
		return page.NotFound()
	}
	result := &check{Timestamp: r.Field("timestamp"), Signature: r.Field("signature")}
	result.Verdict, result.Holds = verdict(view, r.Field("secret"), result, body.Body)
	view.Check = result
	return showView(r, view)
}

func verdict(view oneView, secret string, c *check, body []byte) (lang.Text, bool) {
	key, err := webhook.ParseSecret(secret)
	if err != nil {
		return badSecretText, false
	}
	scheme := webhook.SchemeStandard
	if view.Policy.Signature.Scheme == policy.TimestampHex {
		scheme = webhook.SchemeHex
	}
	at := time.Now()
	if seconds, err := strconv.ParseInt(c.Timestamp, 10, 64); err == nil {
		at = time.Unix(seconds, 0) // how old it is, is not the question here
	}
	verifier, err := webhook.NewVerifier([]webhook.Secret{key}, webhook.WithScheme(scheme), webhook.WithClock(func() time.Time { return at }))
	if err != nil {
		return badSecretText, false
	}
	header := http.Header{}
	for name, value := range map[string]string{
		"webhook-id": view.Delivery.EventID, "webhook-timestamp": c.Timestamp, "webhook-signature": c.Signature,
	} {
		header.Set(name, value)
	}
	if scheme == webhook.SchemeHex {
		names := view.Policy.Headers
		header.Set(names.Timestamp, c.Timestamp)
		header.Set(names.Signature, strings.TrimSpace(c.Signature))
	}
	_, err = verifier.Verify(header, body)
	return verdictOf(err), err == nil
}

func verdictOf(err error) lang.Text {
	failed, ok := errors.AsType[*webhook.VerifyError](err)
	switch {
	case err == nil:
		return holdsText
	case !ok || failed.Reason != webhook.ReasonBadSignature:
		return malformedText
	}
	switch failed.Diagnosis {
	case webhook.DiagnosisSignatureEncoding:
		return encodingText
	case webhook.DiagnosisSecretNotDecoded:
		return undecodedText
	case webhook.DiagnosisBodyReencoded:
		return reencodedText
	default:
		return wrongText
	}
}
