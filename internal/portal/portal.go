// Package portal makes and reads the tokens of portal links, which let a
// tenant's people see the tenant's own things in the dashboard
// (docs/decisions/0013-portal.md).
//
// A token holds what the link permits, sealed under the keys that seal secrets at
// rest: nobody without a key can make, read or change one, and nothing is stored.
// It works until its end, for whoever has it.
//
// The package is pure. It must never know HTTP, sessions or what a role means.
package portal

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// How long a link works.
const (
	UsualTime   = 15 * time.Minute
	LongestTime = 24 * time.Hour
)

// clocksDiffer is by how much the clock of the process that made a link may be
// ahead of the one that reads it.
const clocksDiffer = time.Minute

// ErrLink means that the token was not made here, was changed, or ran out. Which
// of these is for nobody to know.
var ErrLink = errors.New("the portal link does not work")

// Link is what a link permits. Times are kept to the millisecond.
type Link struct {
	Tenant    string
	Role      string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Sealer is what seal.Keyring does.
type Sealer interface {
	Seal(plain, context []byte, random io.Reader) (sealed []byte, keyID string)
	Open(sealed, context []byte, keyID string) ([]byte, error)
}

// sealContext keeps tokens apart from all else that is sealed.
var sealContext = []byte("portal_link:1")

// payload is what is sealed.
type payload struct {
	Tenant  string `json:"t"`
	Role    string `json:"r"`
	Created int64  `json:"c"`
	Expires int64  `json:"e"`
}

// separator stands between the key's id, in hexadecimal, and what is sealed.
const separator = "."

// Token makes the token of a link. It is an error if there is no key: what is not
// sealed, anybody could make.
func Token(sealer Sealer, link Link, random io.Reader) (string, error) {
	if link.Tenant == "" || link.Role == "" || !link.ExpiresAt.After(link.CreatedAt) || link.ExpiresAt.Sub(link.CreatedAt) > LongestTime {
		return "", fmt.Errorf("making a portal link for the tenant %q: it lacks something, or is valid for no time or more than %s", link.Tenant, LongestTime)
	}
	plain, err := json.Marshal(payload{link.Tenant, link.Role, link.CreatedAt.UnixMilli(), link.ExpiresAt.UnixMilli()})
	if err != nil {
		return "", fmt.Errorf("making a portal link: %w", err)
	}
	sealed, keyID := sealer.Seal(plain, sealContext, random)
	if keyID == "" {
		return "", errors.New("making a portal link: there is no key that seals; give one as MALOTE_SECRET_KEY")
	}
	return keyID + separator + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Read gives the link that a token is of, if it works at the time.
func Read(sealer Sealer, token string, now time.Time) (Link, error) {
	keyID, encoded, found := strings.Cut(token, separator)
	if !found || keyID == "" {
		return Link{}, ErrLink
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") { // which base64 leaves out
		return Link{}, ErrLink
	}
	plain, err := sealer.Open(sealed, sealContext, keyID)
	if err != nil {
		return Link{}, ErrLink
	}
	var p payload
	if err := json.Unmarshal(plain, &p); err != nil {
		return Link{}, ErrLink
	}
	link := Link{Tenant: p.Tenant, Role: p.Role, CreatedAt: time.UnixMilli(p.Created).UTC(), ExpiresAt: time.UnixMilli(p.Expires).UTC()}
	if !now.Before(link.ExpiresAt) || now.Before(link.CreatedAt.Add(-clocksDiffer)) || !delivery.ValidTenant(link.Tenant) {
		return Link{}, ErrLink
	}
	return link, nil
}
