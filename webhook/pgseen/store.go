package pgseen

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/webhook"
)

// The times of a [Store] that is told no others.
const (
	DefaultRetention = 7 * 24 * time.Hour // D12
	DefaultLease     = 5 * time.Minute
)

// maxSender is the longest name of a sender, in bytes.
const maxSender = 256

// Errors of New.
var (
	ErrSender = fmt.Errorf("pgseen: name the sender with 1 to %d bytes of UTF-8 without NUL", maxSender)
	ErrTimes  = errors.New("pgseen: the retention must be longer than the lease, and the lease at least a second")
)

// Store is the memory of one sender's webhook-ids, a [webhook.Seen]. It is
// immutable and may be used by several goroutines at once.
type Store struct {
	db         *sql.DB
	sender     string
	names      names
	statements statements
	retention  time.Duration
	lease      time.Duration
}

// statements have the table's name in them.
type statements struct{ claim, keep, keepWithin, release, purge string }

var _ webhook.Seen = (*Store)(nil)

// Option changes a default of [New].
type Option func(*Store)

// WithTable names the table, with its schema or without; the default is
// [DefaultTable]. Case counts: the name is quoted.
func WithTable(table string) Option { return func(s *Store) { s.names.said = table } }

// WithRetention sets for how long a handled id is known; the default is 7 days.
// It must be longer than the sender goes on trying. A change holds for ids that
// are handled after it.
func WithRetention(retention time.Duration) Option {
	return func(s *Store) { s.retention = retention }
}

// WithLease sets after what time a claim that nobody settled is let go of, by the
// database's clock; the default is 5 minutes. A process that died leaves its
// claim behind for so long, and the sender is told to come again meanwhile. It
// must be longer than handling a webhook takes, unless that happens in a
// transaction that keeps the id ([Store.InTx], [KeepTx]): there an id stays with
// its holder as long as the transaction is open.
func WithLease(lease time.Duration) Option { return func(s *Store) { s.lease = lease } }

// New makes the store of a sender. The sender is a name of the receiver's own
// choice, such as "malote" or "stripe-live": ids are unique within one sender
// only, and a name that changes forgets them. It does not reach for the
// database; the errors are [ErrSender], [ErrTableName] and [ErrTimes].
func New(db *sql.DB, sender string, options ...Option) (*Store, error) {
	s := &Store{db: db, sender: sender, names: names{said: DefaultTable}, retention: DefaultRetention, lease: DefaultLease}
	for _, option := range options {
		option(s)
	}
	var err error
	if s.names, err = parseTable(s.names.said); err != nil {
		return nil, err
	}
	if sender == "" || len(sender) > maxSender || !utf8.ValidString(sender) || strings.ContainsRune(sender, 0) {
		return nil, ErrSender
	}
	if s.lease < time.Second || s.retention <= s.lease {
		return nil, ErrTimes
	}
	s.statements = statements{
		claim: s.names.in(claimStatement), keep: s.names.in(keepStatement), keepWithin: s.names.in(keepWithinStatement),
		release: s.names.in(releaseStatement), purge: s.names.in(purgeAllStatement),
	}
	return s, nil
}
