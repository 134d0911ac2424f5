package inbound

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/insert_rejections.sql
var insertRejectionsSQL string

// Rejection is requests that one source turned away for one reason: as many as
// came while they were gathered. To be recorded it must say which source, whose,
// why, how many and when.
type Rejection struct {
	ID       delivery.ID // made by Record
	SourceID delivery.ID
	Tenant   string
	Reason   string // a stable word
	Detail   string // of the last one; cut to MaxDetail bytes
	Count    int64
	FirstAt  time.Time
	LastAt   time.Time
}

// MaxDetail bounds what is kept of a detail, in bytes.
const MaxDetail = 500

// Record writes rejections down, each as it is, in one statement. Their ids tell
// when they were written: who reads page by page misses none that comes later.
func (r *Records) Record(ctx context.Context, rejections []Rejection) error {
	if len(rejections) == 0 {
		return nil
	}
	now := r.now()
	var rows rejectionRows
	for _, rejection := range rejections {
		// Not before the last of the requests, so that a bound in time is also one
		// of ids.
		at := now
		if rejection.LastAt.After(at) {
			at = rejection.LastAt
		}
		rows.add(delivery.NewID(rejection.SourceID.Shard(), at, r.random), rejection)
	}
	_, err := r.pool.Exec(ctx, insertRejectionsSQL, rows.shards, rows.ids, rows.sources, rows.tenants, rows.reasons, rows.details,
		rows.counts, rows.firsts, rows.lasts)
	if err != nil {
		return fmt.Errorf("recording rejected requests: %w", err)
	}
	return nil
}

// rejectionRows are rows as columns.
type rejectionRows struct {
	shards                    []delivery.Shard
	ids, sources              []delivery.ID
	tenants, reasons, details []string
	counts                    []int64
	firsts, lasts             []time.Time
}

func (rows *rejectionRows) add(id delivery.ID, rejection Rejection) {
	rows.shards = append(rows.shards, id.Shard())
	rows.ids = append(rows.ids, id)
	rows.sources = append(rows.sources, rejection.SourceID)
	rows.tenants = append(rows.tenants, rejection.Tenant)
	rows.reasons = append(rows.reasons, rejection.Reason)
	rows.details = append(rows.details, presentable(rejection.Detail))
	rows.counts = append(rows.counts, rejection.Count)
	rows.firsts = append(rows.firsts, rejection.FirstAt)
	rows.lasts = append(rows.lasts, rejection.LastAt)
}

// presentable makes a detail short text that the database can hold: some of it
// may come from whoever sent the request, and must not make all rows fail.
func presentable(detail string) string {
	detail = strings.ToValidUTF8(strings.ReplaceAll(detail, "\x00", "\uFFFD"), "\uFFFD")
	if len(detail) <= MaxDetail {
		return detail
	}
	end := MaxDetail
	for !utf8.RuneStart(detail[end]) {
		end--
	}
	return detail[:end]
}
