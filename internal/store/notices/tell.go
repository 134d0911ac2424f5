package notices

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/untold_kinds.sql
var untoldKindsSQL string

//go:embed queries/unmailed_groups.sql
var unmailedGroupsSQL string

//go:embed queries/forget_unmailable.sql
var forgetUnmailableSQL string

//go:embed queries/open_windows.sql
var openWindowsSQL string

//go:embed queries/lock_windows.sql
var lockWindowsSQL string

//go:embed queries/begin_windows.sql
var beginWindowsSQL string

//go:embed queries/untold.sql
var untoldSQL string

//go:embed queries/unmailed.sql
var unmailedSQL string

//go:embed queries/mark_told.sql
var markToldSQL string

//go:embed queries/mark_mailed.sql
var markMailedSQL string

//go:embed queries/add_notices.sql
var addNoticesSQL string

// UntoldKinds are the kinds that operators were not told of yet.
func (s *Store) UntoldKinds(ctx context.Context) ([]delivery.SignalKind, error) {
	rows, _ := s.pool.Query(ctx, untoldKindsSQL)
	kinds, err := pgx.CollectRows(rows, pgx.RowTo[delivery.SignalKind])
	if err != nil {
		return nil, fmt.Errorf("looking for signals to tell of: %w", err)
	}
	return kinds, nil
}

// forgetAtOnce bounds a transaction of ForgetUnmailable.
const forgetAtOnce = 5000

// ForgetUnmailable notes of signals whose tenants named nobody to mail them to
// that nobody need be mailed (D08), and of all signals if nothing can be mailed.
func (s *Store) ForgetUnmailable(ctx context.Context, canMail bool) (forgotten int, _ error) {
	for {
		tag, err := s.pool.Exec(ctx, forgetUnmailableSQL, !canMail, forgetAtOnce)
		if err != nil {
			return forgotten, fmt.Errorf("passing over signals that nobody is mailed of: %w", err)
		}
		n := int(tag.RowsAffected())
		if forgotten += n; n < forgetAtOnce {
			return forgotten, nil
		}
	}
}

// UnmailedGroups are the groups of one tenant and kind that wait to be mailed, and
// were last mailed at least a window ago.
func (s *Store) UnmailedGroups(ctx context.Context, window time.Duration, limit int) ([]delivery.NoticeGroup, error) {
	rows, _ := s.pool.Query(ctx, unmailedGroupsSQL, window.Seconds(), limit)
	groups, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g delivery.NoticeGroup, err error) {
		g.Kinds = make([]delivery.SignalKind, 1)
		err = row.Scan(&g.Tenant, &g.Kinds[0])
		return g, err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for signals to mail: %w", err)
	}
	return groups, nil
}

// Tell lets decide say what becomes of a group's signals, of which it sees up to
// limit, the oldest, and notes that in the same transaction.
func (s *Store) Tell(ctx context.Context, group delivery.NoticeGroup, limit int, decide func(delivery.Untold) delivery.Telling) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		untold, err := s.gather(ctx, tx, group, limit)
		if err != nil || len(untold.Signals) == 0 {
			return err
		}
		return s.note(ctx, tx, group, decide(untold))
	})
	if err != nil {
		return fmt.Errorf("telling of signals: %w", err)
	}
	return nil
}

// owner is whose windows a group has.
func owner(group delivery.NoticeGroup) string {
	if group.Tenant == "" {
		return delivery.OwnTenant
	}
	return group.Tenant
}

func (s *Store) gather(ctx context.Context, tx pgx.Tx, group delivery.NoticeGroup, limit int) (delivery.Untold, error) {
	untold := delivery.Untold{Last: make(map[delivery.SignalKind]time.Time)}
	whose := owner(group)
	shard := delivery.ShardOf(whose)
	if _, err := tx.Exec(ctx, openWindowsSQL, shard, whose, group.Kinds); err != nil {
		return untold, err
	}
	if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&untold.Now); err != nil {
		return untold, err
	}
	rows, _ := tx.Query(ctx, lockWindowsSQL, shard, whose, group.Kinds)
	var kind delivery.SignalKind
	var last pgtype.Timestamptz
	_, err := pgx.ForEachRow(rows, []any{&kind, &last}, func() error {
		if last.InfinityModifier == pgtype.Finite {
			untold.Last[kind] = last.Time
		}
		return nil
	})
	if err != nil {
		return untold, err
	}
	sql, parameters := untoldSQL, []any{group.Kinds, limit}
	if group.Tenant != "" {
		sql, parameters = unmailedSQL, append(parameters, shard, whose)
	}
	rows, _ = tx.Query(ctx, sql, parameters...)
	untold.Signals, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (g delivery.Signal, err error) {
		err = row.Scan(&g.ID, &g.Tenant, &g.Kind, &g.Subject, &g.Detail, &g.EndpointID, &g.DeliveryID, &g.EventID, &g.EventType, &g.At)
		g.At = g.At.UTC()
		return g, err
	})
	if err != nil {
		return untold, err
	}
	return untold, describe(ctx, tx, &untold)
}

//go:embed queries/endpoints.sql
var endpointsSQL string

//go:embed queries/contacts.sql
var contactsSQL string

// describe adds what is known of the signals' endpoints and tenants. Of a URL it
// is the host alone: the rest may be a secret.
func describe(ctx context.Context, tx pgx.Tx, untold *delivery.Untold) error {
	untold.Hosts, untold.Contacts = make(map[delivery.ID]string), make(map[string]delivery.Contacts)
	for _, g := range untold.Signals {
		if !g.EndpointID.IsZero() {
			untold.Hosts[g.EndpointID] = ""
		}
		untold.Contacts[g.Tenant] = delivery.Contacts{}
	}
	var shards, tenantShards []delivery.Shard
	var endpoints []delivery.ID
	var tenants []string
	for id := range untold.Hosts {
		shards, endpoints = append(shards, id.Shard()), append(endpoints, id)
	}
	for tenant := range untold.Contacts {
		tenantShards, tenants = append(tenantShards, delivery.ShardOf(tenant)), append(tenants, tenant)
	}
	batch := &pgx.Batch{}
	batch.Queue(endpointsSQL, shards, endpoints).Query(func(rows pgx.Rows) error {
		var id delivery.ID
		var address string
		_, err := pgx.ForEachRow(rows, []any{&id, &address}, func() error {
			untold.Hosts[id] = hostOf(address)
			return nil
		})
		return err
	})
	batch.Queue(contactsSQL, tenantShards, tenants).Query(func(rows pgx.Rows) error {
		var tenant string
		var contacts delivery.Contacts
		_, err := pgx.ForEachRow(rows, []any{&tenant, &contacts.AlertEmails, &contacts.TechnicalContact}, func() error {
			untold.Contacts[tenant] = contacts
			contacts.AlertEmails = nil
			return nil
		})
		return err
	})
	return tx.SendBatch(ctx, batch).Close()
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

func (s *Store) note(ctx context.Context, tx pgx.Tx, group delivery.NoticeGroup, telling delivery.Telling) error {
	batch := &pgx.Batch{}
	if len(telling.Settled) > 0 {
		mark := markToldSQL
		if group.Tenant != "" {
			mark = markMailedSQL
		}
		shards := make([]delivery.Shard, len(telling.Settled))
		for i, id := range telling.Settled {
			shards[i] = id.Shard()
		}
		batch.Queue(mark, shards, telling.Settled)
	}
	if len(telling.Told) > 0 {
		whose := owner(group)
		batch.Queue(beginWindowsSQL, delivery.ShardOf(whose), whose, telling.Told)
	}
	if len(telling.Notices) > 0 {
		s.queueNotices(batch, telling.Notices)
	}
	return tx.SendBatch(ctx, batch).Close()
}

func (s *Store) queueNotices(batch *pgx.Batch, list []delivery.Notice) {
	n := len(list)
	keys, kinds, types := make([]string, n), make([]string, n), make([]string, n)
	data, recipients, occurred := make([]string, n), make([]string, n), make([]time.Time, n)
	for i, notice := range list {
		keys[i], kinds[i], types[i] = notice.Key, string(notice.Kind), notice.Type
		data[i], recipients[i], occurred[i] = string(notice.Data), notice.To, notice.OccurredAt
	}
	batch.Queue(addNoticesSQL, s.shard, keys, kinds, types, data, recipients, occurred)
}
