package api

import (
	"net/textproto"
	"slices"
	"strings"
)

// hidden stands for a header's value where the reader may not know it.
const hidden = "[hidden]"

// showHeaders shows an endpoint's headers. Values may be credentials of the
// receiver's: secret ones nobody sees, the others those who may change them.
func showHeaders(e Endpoint, who principal) map[string]string {
	shown := make(map[string]string, len(e.Headers)+len(e.SecretHeaders))
	for name, value := range e.Headers {
		if !who.may(mayManage) {
			value = hidden
		}
		shown[name] = value
	}
	for _, name := range e.SecretHeaders {
		shown[name] = hidden
	}
	return shown
}

// credentialWords are in the names of headers that are secret by themselves.
var credentialWords = []string{"auth", "cookie", "token", "secret", "password", "api-key", "apikey", "access-key", "signature"}

func speaksOfCredentials(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(credentialWords, func(word string) bool { return strings.Contains(lower, word) })
}

// secretNames are the headers that a request wants secret, in canonical form.
type secretNames map[string]bool

func newSecretNames(names []string) secretNames {
	set := make(secretNames, len(names))
	for _, name := range names {
		set[textproto.CanonicalMIMEHeaderKey(name)] = true
	}
	return set
}

func (s secretNames) has(name string) bool {
	return s[textproto.CanonicalMIMEHeaderKey(name)] || speaksOfCredentials(name)
}

// missing is a name that is to be secret and is not there.
func (s secretNames) missing(headers map[string]string) string {
	there := make(map[string]bool, len(headers))
	for name := range headers {
		there[textproto.CanonicalMIMEHeaderKey(name)] = true
	}
	for name := range s {
		if !there[name] {
			return name
		}
	}
	return ""
}

// splitHeaders divides headers into those that people may see and secret ones.
// In a change (kept is not nil) the value [hidden] keeps what the header has, and
// is nil in secret; that works only for a header that is secret already.
func splitHeaders(headers map[string]string, secretOnes secretNames, kept secretNames) (plain map[string]string, secret map[string]*string, _ error) {
	if name := secretOnes.missing(headers); name != "" && kept == nil {
		return nil, nil, fault("secret_headers", "names %s, which is not among headers: give its value there", name)
	}
	plain, secret = make(map[string]string), make(map[string]*string)
	for name, value := range headers {
		wasSecret := kept[textproto.CanonicalMIMEHeaderKey(name)]
		switch {
		case value == hidden && wasSecret:
			secret[name] = nil
		case value == hidden:
			return nil, nil, fault("headers."+name, "has the value %s, which stands for what cannot be shown: give the value itself", hidden)
		case wasSecret || secretOnes.has(name):
			secret[name] = &value
		default:
			plain[name] = value
		}
	}
	return plain, secret, nil
}

// valuesOf are secret headers that all have values.
func valuesOf(secret map[string]*string) map[string]string {
	values := make(map[string]string, len(secret))
	for name, value := range secret {
		values[name] = *value
	}
	return values
}

// patchHeaders puts the headers of a change into the patch.
func patchHeaders(patch *EndpointPatch, body endpointPatchJSON, present Endpoint) error {
	if body.Headers == nil {
		if body.SecretHeaders != nil {
			return fault("secret_headers", "goes with headers: give their values there, or [hidden] for those that stay")
		}
		return nil
	}
	kept := newSecretNames(present.SecretHeaders)
	secretOnes := kept
	if body.SecretHeaders != nil {
		secretOnes = newSecretNames(*body.SecretHeaders)
		if name := secretOnes.missing(*body.Headers); name != "" {
			return fault("secret_headers", "names %s, which is not among headers: give its value there", name)
		}
	}
	plain, secret, err := splitHeaders(*body.Headers, secretOnes, kept)
	if err != nil {
		return err
	}
	patch.Headers, patch.SecretHeaders = &plain, &secret
	return nil
}
