package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/malotehq/malote/internal/delivery"
)

// Paging are the parameters of every list. It is exported because huma reads
// embedded parameters only of exported types.
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"250" default:"50" doc:"How many at most."`
	Cursor string `query:"cursor" maxLength:"500" doc:"next_cursor of the page before, as it came. The filters must be the same."`
}

// listJSON is one page.
type listJSON[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor" doc:"For the next page; null: this is the last."`
}

type listAnswer[T any] struct{ Body listJSON[T] }

// list is what a cursor belongs to: one list with certain filters. A cursor
// holds the last row's key and a fingerprint of the list, so that it cannot
// silently continue another one. It is opaque, not secret: whatever it holds,
// the filters and the owner still apply.
type list [fingerprintSize]byte

const fingerprintSize = 6

// listOf names a list by its operation and every filter that narrows it.
func listOf(filters ...string) list {
	sum := sha256.Sum256([]byte(strings.Join(filters, "\x00")))
	return list(sum[:fingerprintSize])
}

// cursor continues after the row with the key; nil if there are no more rows.
func (l list) cursor(key []byte, more bool) *string {
	if !more {
		return nil
	}
	cursor := base64.RawURLEncoding.EncodeToString(append(l[:], key...))
	return &cursor
}

// after is the key of the row that a cursor continues after; empty: it is the
// beginning.
func (l list) after(cursor string) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || // which even a strict decoder passes over
		len(raw) <= fingerprintSize || list(raw[:fingerprintSize]) != l {
		return nil, problem(InvalidCursor, "")
	}
	return raw[fingerprintSize:], nil
}

// afterID is after for lists that are ordered by id.
func (l list) afterID(cursor string) (delivery.ID, error) {
	key, err := l.after(cursor)
	if err != nil || key == nil {
		return delivery.ID{}, err
	}
	if len(key) != len(delivery.ID{}) {
		return delivery.ID{}, problem(InvalidCursor, "")
	}
	return delivery.ID(key), nil
}

// idCursor continues after an id; nil for the zero id.
func (l list) idCursor(id delivery.ID) *string { return l.cursor(id[:], !id.IsZero()) }

// shown converts a page's rows.
func shown[Row, JSON any](rows []Row, show func(Row) JSON) []JSON {
	data := make([]JSON, len(rows))
	for i, row := range rows {
		data[i] = show(row)
	}
	return data
}

// OncePerKey is the header of every request that creates; exported like Paging.
type OncePerKey struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" pattern:"^[ -~]+$" patternDescription:"printable ASCII characters" doc:"Makes a repeat of this request harmless: it gets what the first one created."`
}

func (o OncePerKey) once(ctx context.Context) Once {
	if o.IdempotencyKey == "" {
		return Once{}
	}
	return Once{Key: o.IdempotencyKey, Fingerprint: exchangeOf(ctx).fingerprint()}
}

// createdStatus tells a creation from its repeat.
func createdStatus(created bool) int {
	if created {
		return http.StatusCreated
	}
	return http.StatusOK
}
