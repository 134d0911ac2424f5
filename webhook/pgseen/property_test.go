package pgseen_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

// A holder is whoever got a claim once, dead or alive, late or not.
type holder struct {
	id       string
	pool     int
	claim    *pgseen.Claim
	tx       *sql.Tx // open, with the id kept in it
	promised bool
}

// A modelRow is what the table should say of an id.
type modelRow struct {
	holder  *holder
	handled bool
	left    time.Duration // until it expires
}

func (r *modelRow) isOver() bool   { return r.left <= 0 }
func (r *modelRow) isLocked() bool { return r.holder.tx != nil }

// isPurged says whether the next Keep takes the row away.
func (r *modelRow) isPurged() bool {
	return !r.isLocked() && r.isOver() && (r.handled || r.left <= -24*time.Hour)
}

// model is one run: random callers over two pools, step by step.
type model struct {
	t       *testing.T
	rt      *rapid.T
	w       *world
	stores  [2]*pgseen.Store
	rows    map[string]*modelRow
	holders []*holder
	paid    map[string]int
}

// Over every interleaving of claims, settlements, transactions and time that
// passes, the store does what a plain model says; and of all transactions that
// kept an id, one commits while the id is known.
func TestStore_Model(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withPayments(t)
	stores := [2]*pgseen.Store{w.store(t, 0), w.store(t, 1)}
	rapid.Check(t, func(rt *rapid.T) {
		w.exec(rt, `DELETE FROM receiver.webhook_seen; DELETE FROM receiver.payments`)
		m := &model{t: t, rt: rt, w: w, stores: stores, rows: map[string]*modelRow{}, paid: map[string]int{}}
		defer m.rollBackAll()
		steps := []func(){m.claim, m.claim, m.keep, m.release, m.begin, m.begin, m.commit, m.rollBack, m.later}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")]()
		}
		m.rollBackAll()
		for id, paid := range m.paid {
			require.Equal(rt, paid, w.payments(rt, id))
		}
	})
}

func (m *model) claim() {
	h := &holder{id: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(m.rt, "id"), pool: rapid.IntRange(0, 1).Draw(m.rt, "pool")}
	got, err := m.stores[h.pool].Claim(m.t.Context(), h.id)
	switch row := m.rows[h.id]; {
	case row == nil, row.isOver() && !row.isLocked():
		require.NoError(m.rt, err)
		h.claim = got.(*pgseen.Claim)
		m.holders = append(m.holders, h)
		m.rows[h.id] = &modelRow{holder: h, left: pgseen.DefaultLease}
		m.paid[h.id] = 0
		m.w.exec(m.rt, `DELETE FROM receiver.payments WHERE id = $1`, h.id)
	case row.handled && !row.isOver():
		require.ErrorIs(m.rt, err, webhook.ErrAlreadyHandled)
	default:
		require.ErrorIs(m.rt, err, webhook.ErrBeingHandled)
	}
}

// some draws a holder, with an open transaction or without.
func (m *model) some(open bool) *holder {
	var fit []*holder
	for _, h := range m.holders {
		if (h.tx != nil) == open {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return rapid.SampledFrom(fit).Draw(m.rt, "holder")
}

// row is the holder's own, nil when he lost it.
func (m *model) row(h *holder) *modelRow {
	if row := m.rows[h.id]; row != nil && row.holder == h {
		return row
	}
	return nil
}

func (m *model) keep() {
	h := m.some(false)
	if h == nil {
		return
	}
	err := h.claim.Keep(m.t.Context())
	switch row := m.row(h); {
	case row != nil && (row.handled || !h.promised):
		require.NoError(m.rt, err)
		if !row.handled {
			row.handled, row.left = true, pgseen.DefaultRetention
		}
	case h.promised:
		require.ErrorIs(m.rt, err, webhook.ErrNotCommitted)
	default:
		require.ErrorIs(m.rt, err, pgseen.ErrClaimLost)
	}
	for id, row := range m.rows {
		if id != h.id && row.isPurged() {
			delete(m.rows, id)
		}
	}
}

func (m *model) release() {
	h := m.some(false)
	if h == nil {
		return
	}
	require.NoError(m.rt, h.claim.Release(m.t.Context()))
	if row := m.row(h); row != nil && !row.handled {
		delete(m.rows, h.id)
	}
}

func (m *model) begin() {
	h := m.some(false)
	if h == nil {
		return
	}
	tx, err := m.w.pools[h.pool].BeginTx(m.t.Context(), nil)
	require.NoError(m.rt, err)
	_, err = tx.Exec(`INSERT INTO receiver.payments VALUES ($1)`, h.id)
	require.NoError(m.rt, err)
	err = pgseen.KeepTx(webhook.ContextWithClaim(m.t.Context(), h.claim), tx)
	if row := m.row(h); row != nil && !row.handled {
		require.NoError(m.rt, err)
		h.tx, h.promised = tx, true
		return
	}
	require.ErrorIs(m.rt, err, pgseen.ErrClaimLost)
	require.NoError(m.rt, tx.Rollback())
}

func (m *model) commit() {
	if h := m.some(true); h != nil {
		require.NoError(m.rt, h.tx.Commit())
		h.tx = nil
		m.rows[h.id].handled, m.rows[h.id].left = true, pgseen.DefaultRetention
		m.paid[h.id]++
		require.Equal(m.rt, 1, m.paid[h.id])
	}
}

func (m *model) rollBack() {
	if h := m.some(true); h != nil {
		require.NoError(m.rt, h.tx.Rollback())
		h.tx = nil
	}
}

func (m *model) rollBackAll() {
	for _, h := range m.holders {
		if h.tx != nil {
			_ = h.tx.Rollback()
			h.tx = nil
		}
	}
}

// later lets time pass for all rows but those that a transaction holds: an UPDATE
// would wait for it.
func (m *model) later() {
	by := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, 2 * 24 * time.Hour, 8 * 24 * time.Hour}).Draw(m.rt, "by")
	m.w.exec(m.rt, `UPDATE receiver.webhook_seen SET until = until - $1::bigint * interval '1 microsecond'
		WHERE ctid = ANY (ARRAY(SELECT ctid FROM receiver.webhook_seen FOR UPDATE SKIP LOCKED))`, by.Microseconds())
	for _, row := range m.rows {
		if !row.isLocked() {
			row.left -= by
		}
	}
}
