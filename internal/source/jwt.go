package source

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"strings"
	"time"
)

// jwt is a token with ES256 (RFC 7518, 3.4), taken apart but not verified.
type jwt struct {
	kid    string
	claims value
	signed string
	r, s   *big.Int
}

// readJWT takes a token apart. Its header chooses nothing but the key: any
// algorithm but ES256 is refused, and so is what must be understood and is not.
func readJWT(text string) (jwt, *refusal) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return jwt{}, malformed(SignatureMalformed, "it is no JWT")
	}
	header, claims := readPart(parts[0]), readPart(parts[1])
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if !header.is('{') || !claims.is('{') || err != nil {
		return jwt{}, malformed(SignatureMalformed, "it is no JWT")
	}
	if algorithm, refused := field(header, "alg"); refused != nil || algorithm != "ES256" {
		return jwt{}, malformed(AlgorithmRefused, "alg must be ES256")
	}
	if _, err := header.member("crit"); !errors.Is(err, errAbsent) {
		return jwt{}, malformed(AlgorithmRefused, "crit")
	}
	kid, refused := field(header, "kid")
	if refused != nil || tidy(kid) == "" {
		return jwt{}, malformed(SignatureMalformed, "the token names no key")
	}
	if len(signature) != 64 {
		return jwt{}, malformed(SignatureMalformed, "a signature of ES256 has 64 bytes")
	}
	return jwt{
		kid: kid, claims: claims, signed: parts[0] + "." + parts[1],
		r: new(big.Int).SetBytes(signature[:32]), s: new(big.Int).SetBytes(signature[32:]),
	}, nil
}

// readPart is an empty value when the part is not JSON in URL-safe base64.
func readPart(text string) value {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return value{}
	}
	part, _ := parse(decoded)
	return part
}

func (t jwt) holds(key *ecdsa.PublicKey) bool {
	sum := sha256.Sum256([]byte(t.signed))
	return ecdsa.Verify(key, sum[:], t.r, t.s)
}

// jwk is a JSON web key (RFC 7517) on P-256.
type jwk struct {
	kid     string
	public  *ecdsa.PublicKey
	expired time.Time
}

var errNotJWK = errors.New("it is no JSON web key on P-256")

// readJWK reads a key, alone or as the member "key".
func readJWK(text []byte) (jwk, error) {
	document, err := parse(text)
	if err != nil {
		return jwk{}, errNotJWK
	}
	if inner, err := document.member("key"); err == nil {
		document = inner
	}
	if document.textAt("kty") != "EC" || document.textAt("crv") != "P-256" || orElse(document.textAt("alg"), "ES256") != "ES256" {
		return jwk{}, errNotJWK
	}
	point := []byte{4} // uncompressed (SEC 1, 2.3.4)
	for _, name := range []string{"x", "y"} {
		coordinate, err := base64.RawURLEncoding.DecodeString(document.textAt(name))
		if err != nil || len(coordinate) != 32 {
			return jwk{}, errNotJWK
		}
		point = append(point, coordinate...)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return jwk{}, errNotJWK
	}
	key := jwk{kid: document.textAt("kid"), public: public}
	if expired, err := document.member("expired_at"); err == nil && !expired.is('n') {
		text, _ := expired.text()
		at, refused := seconds("expired_at", text)
		if refused != nil {
			return jwk{}, errNotJWK
		}
		key.expired = at
	}
	return key, nil
}

func (k jwk) inForce(now time.Time) *refusal {
	if !k.expired.IsZero() && (now.IsZero() || !now.Before(k.expired)) {
		return bad(KeyUnknown, "the key has expired")
	}
	return nil
}
