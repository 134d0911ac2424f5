package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
)

// Sealer keeps values secret at rest; *seal.Keyring is one, and says what its
// errors are. A value that is under no key, "", is stored as it is.
type Sealer interface {
	Seal(plain, context []byte, random io.Reader) (sealed []byte, keyID string)
	Open(sealed, context []byte, keyID string) ([]byte, error)
	// CurrentKey is the id of the key that Seal uses.
	CurrentKey() string
}

const selectHeadersSQL = `SELECT e.secret_headers, e.secret_headers_key FROM malote.endpoints AS e
	WHERE e.shard = $1 AND e.id = $2`

// sealHeaders gives an endpoint's secret headers in the form that is stored; nil:
// there are none.
func (r *Registry) sealHeaders(endpoint delivery.ID, headers map[string]string) (sealed []byte, keyID string, _ error) {
	if len(headers) == 0 {
		return nil, "", nil
	}
	for name, value := range headers {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, "", ErrInvalidText // JSON would change it without a word
		}
	}
	plain, err := json.Marshal(headers)
	if err != nil {
		return nil, "", err
	}
	sealed, keyID = r.sealer.Seal(plain, seal.EndpointHeadersContext(endpoint), r.random)
	return sealed, keyID, nil
}

func (r *Registry) openHeaders(endpoint delivery.ID, sealed []byte, keyID string) (headers map[string]string, _ error) {
	if sealed == nil {
		return nil, nil
	}
	plain, err := r.sealer.Open(sealed, seal.EndpointHeadersContext(endpoint), keyID)
	if err == nil {
		err = json.Unmarshal(plain, &headers)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the secret headers of %s: %w", endpoint.Format(delivery.EndpointPrefix), err)
	}
	return headers, nil
}

// headerNames is all that is ever read of secret headers by people.
func (r *Registry) headerNames(endpoint delivery.ID, sealed []byte, keyID string) ([]string, error) {
	headers, err := r.openHeaders(endpoint, sealed, keyID)
	return slices.Sorted(maps.Keys(headers)), err
}

// replaceHeaders gives the secret headers that a change leaves: those given, with
// the present value where the given one is nil. The lane is locked.
func (r *Registry) replaceHeaders(ctx context.Context, tx pgx.Tx, endpoint delivery.ID, given map[string]*string) (map[string]string, error) {
	replaced := make(map[string]string, len(given))
	var kept []string
	for name, value := range given {
		if value != nil {
			replaced[name] = *value
		} else {
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 {
		return replaced, nil // without a look at those there are, which may not open
	}
	var sealed []byte
	var keyID string
	if err := tx.QueryRow(ctx, selectHeadersSQL, endpoint.Shard(), endpoint).Scan(&sealed, &keyID); err != nil {
		return nil, err
	}
	present, err := r.openHeaders(endpoint, sealed, keyID)
	if err != nil {
		return nil, err
	}
	for _, name := range kept {
		value, found := headerNamed(present, name)
		if !found {
			return nil, ErrNoSecretHeader
		}
		replaced[name] = value
	}
	return replaced, nil
}

// headerNamed ignores case, as HTTP does.
func headerNamed(headers map[string]string, name string) (value string, found bool) {
	for present, value := range headers {
		if strings.EqualFold(present, name) {
			return value, true
		}
	}
	return "", false
}
