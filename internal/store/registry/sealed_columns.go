package registry

import (
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
)

// sealedColumn is one of the columns that hold sealed values.
type sealedColumn struct {
	name    string          // for errors
	prefix  delivery.Prefix // of the row's id
	context func(row [16]byte) []byte

	count  string // rows by key
	behind string // rows that are not under a key
	lock   string // some of those, with their values
	write  string // their new ones
}

// Key by key and row by row, over all shards: maintenance queries.
const (
	countSecretKeysSQL = `SELECT s.key_id, count(*) FROM malote.endpoint_secrets AS s GROUP BY s.key_id -- all shards`

	countHeaderKeysSQL = `SELECT e.secret_headers_key, count(*) FROM malote.endpoints AS e
		WHERE e.secret_headers IS NOT NULL GROUP BY e.secret_headers_key -- all shards`

	countSourceKeysSQL = `SELECT s.key_id, count(*) FROM malote.source_secrets AS s GROUP BY s.key_id -- all shards`

	secretsBehindSQL = `SELECT s.shard, s.id FROM malote.endpoint_secrets AS s
		WHERE s.key_id <> $1 ORDER BY s.shard, s.id -- all shards`

	headersBehindSQL = `SELECT e.shard, e.id FROM malote.endpoints AS e
		WHERE e.secret_headers IS NOT NULL AND e.secret_headers_key <> $1 ORDER BY e.shard, e.id -- all shards`

	sourcesBehindSQL = `SELECT s.shard, s.id FROM malote.source_secrets AS s
		WHERE s.key_id <> $1 ORDER BY s.shard, s.id -- all shards`
)

const (
	lockSecretsSQL = `SELECT s.id, s.value, s.key_id FROM malote.endpoint_secrets AS s
		WHERE s.shard = $1 AND s.id = ANY($2) AND s.key_id <> $3 ORDER BY s.id FOR NO KEY UPDATE`

	lockHeadersSQL = `SELECT e.id, e.secret_headers, e.secret_headers_key FROM malote.endpoints AS e
		WHERE e.shard = $1 AND e.id = ANY($2) AND e.secret_headers IS NOT NULL AND e.secret_headers_key <> $3
		ORDER BY e.id FOR NO KEY UPDATE`

	lockSourcesSQL = `SELECT s.id, s.value, s.key_id FROM malote.source_secrets AS s
		WHERE s.shard = $1 AND s.id = ANY($2) AND s.key_id <> $3 ORDER BY s.id FOR NO KEY UPDATE`

	writeSecretsSQL = `UPDATE malote.endpoint_secrets AS s SET value = r.value, key_id = r.key_id
		FROM unnest($2::uuid[], $3::bytea[], $4::text[]) AS r (id, value, key_id) WHERE s.shard = $1 AND s.id = r.id`

	writeHeadersSQL = `UPDATE malote.endpoints AS e SET secret_headers = r.value, secret_headers_key = r.key_id
		FROM unnest($2::uuid[], $3::bytea[], $4::text[]) AS r (id, value, key_id) WHERE e.shard = $1 AND e.id = r.id`

	writeSourcesSQL = `UPDATE malote.source_secrets AS s SET value = r.value, key_id = r.key_id
		FROM unnest($2::uuid[], $3::bytea[], $4::text[]) AS r (id, value, key_id) WHERE s.shard = $1 AND s.id = r.id`
)

var sealedColumns = []sealedColumn{
	{
		"secret", delivery.SecretPrefix, seal.EndpointSecretContext,
		countSecretKeysSQL, secretsBehindSQL, lockSecretsSQL, writeSecretsSQL,
	},
	{
		"secret headers of", delivery.EndpointPrefix, seal.EndpointHeadersContext,
		countHeaderKeysSQL, headersBehindSQL, lockHeadersSQL, writeHeadersSQL,
	},
	{
		"source's secret", delivery.SecretPrefix, seal.SourceSecretContext,
		countSourceKeysSQL, sourcesBehindSQL, lockSourcesSQL, writeSourcesSQL,
	},
}
