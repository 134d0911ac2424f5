package source

import (
	"errors"
	"log/slog"
	"strings"
)

// Role limits what a secret may be used for.
type Role string

// What a secret may be used for.
const (
	// RoleAny is a secret for whatever its provider has one for.
	RoleAny Role = ""
	// RoleSignature is never compared with what a handshake brings.
	RoleSignature Role = "signature"
	// RoleHandshake opens nothing but the handshake: Meta's verify token stands
	// in URLs, and so in logs, and must not be a key that signs events.
	RoleHandshake Role = "handshake"
)

// A Secret is what one side of a signature needs: a shared key, a public key, a
// password, or the identifier that a signature must be about.
type Secret struct {
	Name  string // as people call it; verdicts name it
	Value string
	Role  Role
}

// String keeps the value out of whatever prints a Secret.
func (s Secret) String() string { return "secret " + s.Name }

// GoString does so for %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue does so for logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// errSecret* say why a secret is no use to its provider.
var (
	errSecretEmpty     = errors.New("it is empty")
	errSecretSpace     = errors.New("there is white space around it: paste it without")
	errSecretNotHex    = errors.New("it must be hexadecimal, as the provider shows it")
	errSecretNotBase64 = errors.New("it must be base64, as the provider shows it")
)

// usable are the secrets that may check signatures.
func usable(secrets []Secret, not Role) []Secret {
	var live []Secret
	for _, s := range secrets {
		if s.Value != "" && (s.Role == RoleAny || s.Role != not) {
			live = append(live, s)
		}
	}
	return live
}

// verbatim takes the secret's own bytes as the key.
func verbatim(secret string) ([]byte, error) {
	if secret == "" {
		return nil, errSecretEmpty
	}
	return []byte(secret), nil
}

// wellPasted refuses what a clipboard adds.
func wellPasted(secret string) error {
	switch {
	case secret == "":
		return errSecretEmpty
	case strings.TrimSpace(secret) != secret:
		return errSecretSpace
	}
	return nil
}
