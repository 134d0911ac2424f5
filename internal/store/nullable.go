package store

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// zeroTime reads a nullable instant into a time.Time, zero for NULL, in UTC.
type zeroTime struct{ target *time.Time }

func zeroable(target *time.Time) *zeroTime { return &zeroTime{target} }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (z *zeroTime) ScanTimestamptz(v pgtype.Timestamptz) error {
	*z.target = time.Time{}
	if v.Valid && v.InfinityModifier == pgtype.Finite {
		*z.target = v.Time.UTC()
	}
	return nil
}

// orNull gives NULL for the zero time.
func orNull(t time.Time) pgtype.Timestamptz {
	return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()}
}

// textOrNull gives NULL for the empty string.
func textOrNull(s string) pgtype.Text { return pgtype.Text{String: s, Valid: s != ""} }
