package store

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
)

//go:embed queries/endpoint_configs.sql
var endpointConfigsSQL string

//go:embed queries/endpoint_secrets.sql
var endpointSecretsSQL string

// loadEndpoints reads endpoints with their secrets, by lane. A secret that cannot
// be opened is left out and logged: without any other the endpoint's attempts fail
// as having none, and nothing is sent unsigned (D13). Nothing is sent either
// without the headers that its endpoint wants.
func (s *Store) loadEndpoints(ctx context.Context, tx *hotTx, refs []delivery.LaneRef) (map[delivery.ID]*delivery.Endpoint, error) {
	shards, ids := splitRefs(refs)
	endpoints := make(map[delivery.ID]*delivery.Endpoint, len(refs))
	headerless := make(map[delivery.ID]bool)
	rows, _ := tx.Query(ctx, endpointConfigsSQL, shards, ids)
	var e delivery.Endpoint
	var headers, sealed []byte
	var keyID string
	_, err := pgx.ForEachRow(rows, []any{&e.ID, &e.Tenant, &e.URL, &e.Policy, &headers, &e.AtMostOnce, &sealed, &keyID}, func() error {
		loaded := e
		loaded.Headers = nil
		if err := json.Unmarshal(headers, &loaded.Headers); err != nil {
			return err
		}
		if err := s.addSecretHeaders(&loaded, sealed, keyID); err != nil {
			s.log.Error("an endpoint's secret headers cannot be opened; nothing is sent to it", "endpoint",
				loaded.ID.Format(delivery.EndpointPrefix), "err", err)
			headerless[loaded.ID] = true
		}
		endpoints[loaded.ID], sealed = &loaded, nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading endpoints: %w", err)
	}
	if err := s.loadSecrets(ctx, tx, shards, ids, endpoints); err != nil {
		return nil, err
	}
	for id := range headerless {
		endpoints[id].Secrets = nil
	}
	return endpoints, nil
}

func (s *Store) addSecretHeaders(e *delivery.Endpoint, sealed []byte, keyID string) error {
	if sealed == nil {
		return nil
	}
	plain, err := s.open(sealed, seal.EndpointHeadersContext(e.ID), keyID)
	if err != nil {
		return err
	}
	var secret map[string]string
	if err := json.Unmarshal(plain, &secret); err != nil {
		return fmt.Errorf("reading secret headers: %w", err)
	}
	if e.Headers == nil {
		e.Headers = make(map[string]string, len(secret))
	}
	maps.Copy(e.Headers, secret)
	return nil
}

func (s *Store) loadSecrets(ctx context.Context, tx *hotTx, shards []delivery.Shard, ids []delivery.ID, endpoints map[delivery.ID]*delivery.Endpoint) error {
	rows, _ := tx.Query(ctx, endpointSecretsSQL, shards, ids)
	var endpointID delivery.ID
	var secret delivery.Secret
	var value []byte
	var keyID string
	_, err := pgx.ForEachRow(rows, []any{&endpointID, &secret.ID, &value, &keyID, &secret.CreatedAt, zeroable(&secret.ExpiresAt)}, func() error {
		endpoint := endpoints[endpointID]
		if endpoint == nil {
			return nil
		}
		plain, err := s.open(value, seal.EndpointSecretContext(secret.ID), keyID)
		if err != nil {
			s.log.Error("an endpoint's secret cannot be opened; it does not sign", "endpoint", endpointID.Format(delivery.EndpointPrefix),
				"secret", secret.ID.Format(delivery.SecretPrefix), "err", err)
			return nil
		}
		secret.Value = string(plain)
		endpoint.Secrets = append(endpoint.Secrets, secret)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading endpoints' secrets: %w", err)
	}
	return nil
}

var errNoOpener = errors.New("it is sealed, and no key was given to open it")

// open gives the value of what may be sealed.
func (s *Store) open(value, context []byte, keyID string) ([]byte, error) {
	switch {
	case keyID == "":
		return value, nil
	case s.opener == nil:
		return nil, errNoOpener
	}
	return s.opener.Open(value, context, keyID)
}

func splitRefs(refs []delivery.LaneRef) ([]delivery.Shard, []delivery.ID) {
	shards := make([]delivery.Shard, len(refs))
	ids := make([]delivery.ID, len(refs))
	for i, ref := range refs {
		shards[i], ids[i] = ref.Shard, ref.EndpointID
	}
	return shards, ids
}
