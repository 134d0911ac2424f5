package audit

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/record.sql
var recordSQL string

// Act is what somebody did at one moment.
type Act struct {
	ActorKind, ActorID, ActorName string

	ByOperator bool   // not by the tenant itself
	Operation  string // a stable word
	Address    string // where the request came from; "": not known
}

// Subject is one thing that an act changed.
type Subject struct {
	Tenant   string // whose it is; "": nobody's
	Kind, ID string
	Detail   string // short, for people; cut to MaxText bytes
}

// MaxText bounds each text of a row, in bytes.
const MaxText = 500

// Record adds a row for each subject, all or none.
func (l *Log) Record(ctx context.Context, act Act, subjects []Subject) error {
	if len(subjects) == 0 {
		return nil
	}
	now := l.now()
	var shards []delivery.Shard
	var ids []delivery.ID
	var columns [4][]string
	for _, subject := range subjects {
		shard := shardOf(subject.Tenant)
		shards = append(shards, shard)
		ids = append(ids, delivery.NewID(shard, now, l.random))
		for i, text := range []string{subject.Tenant, subject.Kind, subject.ID, subject.Detail} {
			columns[i] = append(columns[i], presentable(text))
		}
	}
	_, err := l.pool.Exec(ctx, recordSQL, shards, ids, columns[0], presentable(act.ActorKind), presentable(act.ActorID),
		presentable(act.ActorName), act.ByOperator, presentable(act.Operation), presentable(act.Address),
		columns[1], columns[2], columns[3])
	if err != nil {
		return fmt.Errorf("writing to the audit log: %w", err)
	}
	return nil
}

// shardOf is 0, as for admin keys, for what belongs to no tenant.
func shardOf(tenant string) delivery.Shard {
	if tenant == "" {
		return 0
	}
	return delivery.ShardOf(tenant)
}

// presentable makes a text one that the database can hold: some of it comes from
// whoever sent the request, and must not make the row fail.
func presentable(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
	if len(text) <= MaxText {
		return text
	}
	end := MaxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
