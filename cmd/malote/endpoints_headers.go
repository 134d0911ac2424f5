package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// headerFlags are the headers of an endpoint's own.
type headerFlags struct {
	Header       []string `help:"A header to send with every attempt, as 'Name: value'. Repeat it for more." placeholder:"HEADER" sep:"none"`
	SecretHeader []string `help:"A header whose value is sealed and never shown again. Better set as MALOTE_SECRET_HEADER: others can read command lines." placeholder:"HEADER" sep:"none"`
}

// setHeaders puts the headers into a body, if there are any.
func (f *headerFlags) setHeaders(body map[string]any) error {
	headers, err := pairsOf(f.Header, ":", "--header must look like 'Name: value', not %q")
	if err != nil {
		return err
	}
	secret := map[string]string{}
	for _, text := range f.SecretHeader {
		name, value, found := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !found || name == "" {
			return &usageError{"--secret-header must look like 'Name: value'"} // without what may be the secret itself
		}
		secret[name] = strings.TrimSpace(value)
	}
	for name := range headers {
		for other := range secret {
			if strings.EqualFold(name, other) {
				return &usageError{fmt.Sprintf("%s is given with --header and with --secret-header: keep one of them", name)}
			}
		}
	}
	if len(secret) > 0 {
		body["secret_headers"] = slices.Sorted(maps.Keys(secret))
	}
	maps.Copy(headers, secret)
	if len(headers) > 0 {
		body["headers"] = headers
	}
	return nil
}

// setMetadata puts metadata into a body, if there is any.
func setMetadata(body map[string]any, texts []string) error {
	metadata, err := pairsOf(texts, "=", "--metadata must look like name=value, not %q")
	if len(metadata) > 0 {
		body["metadata"] = metadata
	}
	return err
}

func pairsOf(texts []string, separator, form string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, separator)
		if !found || name == "" {
			return nil, &usageError{fmt.Sprintf(form, text)}
		}
		pairs[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return pairs, nil
}
