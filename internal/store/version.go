package store

import (
	"context"
	"fmt"
)

// Version is what the database is: PostgreSQL's own version as it shows it, and
// the newest migration that was applied.
func (s *Store) Version(ctx context.Context) (postgres string, schema int64, _ error) {
	err := s.Pool().QueryRow(ctx, `SELECT current_setting('server_version'),
		(SELECT coalesce(max(m.version_id), 0) FROM malote.migrations AS m WHERE m.is_applied)`).Scan(&postgres, &schema)
	if err != nil {
		return "", 0, fmt.Errorf("asking the database for its version: %w", err)
	}
	return postgres, schema, nil
}
