package source

import (
	"crypto"
	"encoding/base64"
	"hash/crc32"
	"path"
	"strconv"
	"strings"
)

const (
	paypalAlgorithm   = "PAYPAL-AUTH-ALGO"
	paypalCertificate = "PAYPAL-CERT-URL"
	paypalID          = "PAYPAL-TRANSMISSION-ID"
	paypalSignature   = "PAYPAL-TRANSMISSION-SIG"
	paypalTime        = "PAYPAL-TRANSMISSION-TIME"
)

var paypal = &Provider{
	Name: "paypal", Title: "PayPal",
	Headers:   []string{paypalSignature, paypalID, paypalTime, paypalCertificate, paypalAlgorithm},
	Signed:    "RSA with SHA-256 over “id|time|webhook id|CRC-32 of the body in decimal”, base64, in " + paypalSignature,
	signsTime: true,
	Secret:    "the webhook's id",
	Dedupe:    "id; whether a retry keeps its transmission's id is not documented",
	Type:      "event_type",
	Handshake: "none",
	Retries:   "any 2xx; 25 tries in 3 days",
	Gotcha:    "Of the body no more than its CRC-32 is signed, which anybody can match who has seen one request: set a tolerance, or fetch what the event is about. The certificate's address is in a header of the request: it is fetched from PayPal's own hosts only.",
	verify:    verifyPayPal,
}

func verifyPayPal(c *call) (Verdict, *refusal) {
	values, refused := c.headers(paypalID, paypalTime, paypalSignature, paypalCertificate, paypalAlgorithm)
	if refused != nil {
		return Verdict{}, refused
	}
	if values[4] != "SHA256withRSA" {
		return Verdict{}, malformed(AlgorithmRefused, paypalAlgorithm+" must be SHA256withRSA")
	}
	signature, err := base64.StdEncoding.DecodeString(values[2])
	if err != nil {
		return Verdict{}, malformed(SignatureMalformed, paypalSignature+" is not base64")
	}
	live := usable(c.secrets, RoleHandshake)
	if len(live) == 0 {
		return Verdict{}, bad(NoSecret, "")
	}
	address, ok := pinned(values[3], func(host string) bool { return host == "api.paypal.com" || host == "api.sandbox.paypal.com" })
	if !ok || address.RawQuery != "" || path.Clean(address.Path) != address.Path || !strings.HasPrefix(address.Path, "/v1/notifications/certs/") {
		return Verdict{}, bad(KeyHostNotAllowed, paypalCertificate)
	}
	certificate, refused := c.certificateAt(Fetch{
		Purpose: FetchCertificate, Method: "GET", URL: values[3], Host: address.Host, Key: values[3], MaxBytes: maxFetched,
	}, func(name string) bool { return strings.HasSuffix(name, ".paypal.com") })
	if refused != nil {
		return Verdict{}, refused
	}
	over := func(webhook string, body []byte) string {
		return strings.Join([]string{values[0], values[1], webhook, strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)}, "|")
	}
	secret, refused := matchPublic(c, func(id string) (string, error) { return id, nil }, func(id string, body []byte) bool {
		return signedBy(certificate, crypto.SHA256, over(id, body), signature)
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.paypalInTime(values[1]); refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("id"), c.text("event_type"))), nil
}

// paypalInTime holds the transmission to a window, if one is set.
func (c *call) paypalInTime(text string) *refusal {
	if c.window() <= 0 {
		return nil
	}
	at, refused := rfc3339(paypalTime, text)
	if refused != nil {
		return refused
	}
	return c.inTime(at)
}
