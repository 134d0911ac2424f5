package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

var plaid = &Provider{
	Name: "plaid", Title: "Plaid",
	Headers:     []string{"Plaid-Verification"},
	Signed:      "a JWT with ES256 in Plaid-Verification, whose request_body_sha256 is the body's hash",
	Window:      5 * time.Minute,
	Secret:      `{"client_id": …, "secret": …, "environment": "production"} to fetch keys with, or one key as a JSON web key`,
	Dedupe:      "the time and the body's hash: two updates of one item are the same bytes",
	Type:        "webhook_type and webhook_code, as in TRANSACTIONS.DEFAULT_UPDATE",
	Handshake:   "none",
	Retries:     "200 within 10 s",
	Gotcha:      "Only ES256 counts, whatever the token's header says. Keys are known by their kid, and change.",
	verify:      verifyPlaid,
	checkSecret: checkPlaid,
}

func verifyPlaid(c *call) (Verdict, *refusal) {
	text, refused := c.header("Plaid-Verification")
	if refused != nil {
		return Verdict{}, refused
	}
	token, refused := readJWT(text)
	if refused != nil {
		return Verdict{}, refused
	}
	if len(usable(c.secrets, RoleHandshake)) == 0 {
		return Verdict{}, bad(NoSecret, "")
	}
	key, name, refused := c.plaidKey(token.kid)
	if refused != nil {
		return Verdict{}, refused
	}
	if !token.holds(key.public) {
		return Verdict{}, bad(WrongSecret, "the key of that kid did not sign it")
	}
	hash, refused := field(token.claims, "request_body_sha256")
	if refused != nil {
		return Verdict{}, refused
	}
	clock, refused := field(token.claims, "iat")
	if refused != nil {
		return Verdict{}, refused
	}
	sum := sha256.Sum256(c.Body)
	if !same(hash, hex.EncodeToString(sum[:])) {
		return Verdict{}, bad(BodyChanged, c.otherBody(hash))
	}
	at, refused := seconds("iat", clock)
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	kind := c.text("webhook_type")
	if code := c.text("webhook_code"); kind != "" && code != "" {
		kind += "." + code
	}
	return c.event(name, Item{Type: kind, Dedupe: joined(clock, BodyHash(c.Body))}), nil
}

// otherBody says how a body was re-encoded whose hash is known.
func (c *call) otherBody(hash string) string {
	if len(c.Body) > maxDiagnosed && !c.options.Thorough {
		return ""
	}
	for what, original := range originals(c.Body) {
		if sum := sha256.Sum256(original); hex.EncodeToString(sum[:]) == hash {
			return "it was re-encoded: " + what
		}
	}
	return ""
}

// plaidSecret is what may be set as a secret: credentials, or one key.
type plaidSecret struct {
	ClientID    string `json:"client_id"`
	Secret      string `json:"secret"`
	Environment string `json:"environment"`
}

// plaidHosts are where keys are fetched, by environment.
var plaidHosts = map[string]string{"": "production.plaid.com", "production": "production.plaid.com", "sandbox": "sandbox.plaid.com"}

// plaidKey is the key that a token names: one that is set, or was fetched, or
// is to be fetched.
func (c *call) plaidKey(kid string) (jwk, string, *refusal) {
	var unusable error
	for _, secret := range usable(c.secrets, RoleHandshake) {
		key, err := readJWK([]byte(secret.Value))
		if err == nil && key.kid == kid {
			return key, secret.Name, key.inForce(c.now)
		}
		if err == nil {
			continue
		}
		fetch, err := plaidFetch(secret.Value, kid)
		if err != nil {
			unusable = err
			continue
		}
		answer, fetched := c.options.Fetched[fetch.Key]
		if !fetched {
			return jwk{}, "", &refusal{result: BadSignature, reason: KeyNeeded, detail: "kid " + kid, fetch: &fetch}
		}
		if key, err = readJWK(answer); err == nil && key.kid == kid {
			return key, secret.Name, key.inForce(c.now)
		}
	}
	if unusable != nil {
		return jwk{}, "", bad(SecretUnusable, unusable.Error())
	}
	return jwk{}, "", bad(KeyUnknown, "kid "+kid)
}

var errPlaidSecret = errors.New("it must be JSON: client_id, secret and environment, or a JSON web key")

// plaidFetch asks Plaid for a key.
func plaidFetch(secret, kid string) (Fetch, error) {
	var s plaidSecret
	if err := json.Unmarshal([]byte(secret), &s); err != nil || s.ClientID == "" || s.Secret == "" {
		return Fetch{}, errPlaidSecret
	}
	host, known := plaidHosts[s.Environment]
	if !known {
		return Fetch{}, errPlaidSecret
	}
	body, err := json.Marshal(map[string]string{"client_id": s.ClientID, "secret": s.Secret, "key_id": kid})
	if err != nil {
		return Fetch{}, errPlaidSecret
	}
	return Fetch{
		Purpose: FetchKey, Method: "POST", URL: "https://" + host + "/webhook_verification_key/get", Host: host,
		Body: body, Key: "plaid:" + host + ":" + s.ClientID + ":" + kid, MaxBytes: maxFetched,
	}, nil
}

func checkPlaid(secret string) error {
	if _, err := readJWK([]byte(secret)); err == nil {
		return nil
	}
	_, err := plaidFetch(secret, "kid")
	return err
}
