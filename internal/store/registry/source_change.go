package registry

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// SourceChange changes what is not nil. A source's provider never changes:
// secrets and identifiers of one mean nothing to another.
type SourceChange struct {
	Name        *string
	Description *string
	// Settings gives the new settings, in the form that NewSource asks for, from
	// the present ones. Nobody else changes them meanwhile; it may be called
	// again. Its error undoes everything and is what errors.Is finds.
	Settings func(present json.RawMessage) (json.RawMessage, error)
}

const (
	// Locks the source's row to the transaction's end.
	raiseSourceVersionSQL = `UPDATE malote.sources AS s SET version = s.version + 1
		WHERE s.shard = $1 AND s.id = $2 AND s.deleted_at IS NULL RETURNING s.tenant`

	sourceSettingsSQL = `SELECT s.settings FROM malote.sources AS s WHERE s.shard = $1 AND s.id = $2`

	updateSourceSQL = `UPDATE malote.sources AS s
		SET name = coalesce($3, s.name), description = coalesce($4, s.description), settings = coalesce($5::json, s.settings),
			updated_at = now()
		WHERE s.shard = $1 AND s.id = $2`

	pauseSourceSQL = `UPDATE malote.sources AS s SET paused_at = now(), updated_at = now()
		WHERE s.shard = $1 AND s.id = $2 AND s.paused_at IS NULL`

	resumeSourceSQL = `UPDATE malote.sources AS s SET paused_at = NULL, updated_at = now()
		WHERE s.shard = $1 AND s.id = $2 AND s.paused_at IS NOT NULL`
)

// What a deleted source does without.
var deleteSourceSQL = []string{
	`UPDATE malote.sources AS s SET deleted_at = now(), updated_at = now() WHERE s.shard = $1 AND s.id = $2`,
	`DELETE FROM malote.source_secrets AS s
		USING (SELECT x.id FROM malote.source_secrets AS x WHERE x.shard = $1 AND x.source_id = $2
			ORDER BY x.id FOR UPDATE) AS locked
		WHERE s.shard = $1 AND s.id = locked.id`,
	`DELETE FROM malote.gap_repairs AS g WHERE g.shard = $1 AND g.source_id = $2`,
}

// changeSource locks a source, raises its version and makes the change, which
// may then write whatever belongs to the source.
func changeSource(ctx context.Context, tx pgx.Tx, owner Owner, id delivery.ID, change func() error) error {
	var tenant string
	err := tx.QueryRow(ctx, raiseSourceVersionSQL, id.Shard(), id).Scan(&tenant)
	switch {
	case err != nil:
		return orMissing(err, ErrNoSource)
	case !owner.owns(tenant):
		return ErrNoSource
	}
	return change()
}

// UpdateSource changes what the change names.
func (r *Registry) UpdateSource(ctx context.Context, owner Owner, id delivery.ID, change SourceChange) (Source, error) {
	return r.changedSource(ctx, "changing a source", owner, id, func(tx pgx.Tx) error {
		settings, err := change.settings(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, updateSourceSQL, id.Shard(), id, change.Name, change.Description, settings)
		return err
	})
}

// settings are the new ones; nil leaves those that are there.
func (c SourceChange) settings(ctx context.Context, tx pgx.Tx, id delivery.ID) (json.RawMessage, error) {
	if c.Settings == nil {
		return nil, nil
	}
	var present json.RawMessage
	if err := tx.QueryRow(ctx, sourceSettingsSQL, id.Shard(), id).Scan(&present); err != nil {
		return nil, err
	}
	changed, err := c.Settings(present)
	if err != nil {
		return nil, err
	}
	return asSettings(changed)
}

// PauseSource has the door turn requests away from now on. A source that is
// paused already stays so, since when it was.
func (r *Registry) PauseSource(ctx context.Context, owner Owner, id delivery.ID) (Source, error) {
	return r.changedSource(ctx, "pausing a source", owner, id, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, pauseSourceSQL, id.Shard(), id)
		return err
	})
}

// ResumeSource ends a pause, if there is one.
func (r *Registry) ResumeSource(ctx context.Context, owner Owner, id delivery.ID) (Source, error) {
	return r.changedSource(ctx, "resuming a source", owner, id, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, resumeSourceSQL, id.Shard(), id)
		return err
	})
}

// changedSource changes a source and gives it as it is then.
func (r *Registry) changedSource(ctx context.Context, what string, owner Owner, id delivery.ID, change func(pgx.Tx) error) (changed Source, _ error) {
	err := r.inTx(ctx, what, func(tx pgx.Tx) error {
		err := changeSource(ctx, tx, owner, id, func() error { return change(tx) })
		if err == nil {
			changed, err = readSource(ctx, tx, id)
		}
		return err
	})
	if err != nil {
		return Source{}, err
	}
	return changed, nil
}

// DeleteSource ends a source and forgets its secrets and how far it was
// compared. Events that came in by it stay, and go on naming it.
func (r *Registry) DeleteSource(ctx context.Context, owner Owner, id delivery.ID) error {
	return r.inTx(ctx, "deleting a source", func(tx pgx.Tx) error {
		return changeSource(ctx, tx, owner, id, func() error {
			for _, statement := range deleteSourceSQL {
				if _, err := tx.Exec(ctx, statement, id.Shard(), id); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
