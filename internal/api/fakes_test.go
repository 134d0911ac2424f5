package api

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// memory is all the stores in one, with the errors that the real ones have.
type memory struct {
	mu         sync.Mutex
	tenants    map[string]Tenant
	keys       map[string]Key // by plain form
	keyLookups int
	endpoints  map[delivery.ID]Endpoint
	policies   map[string]StoredPolicy
	once       map[string]onceEntry
	events     []delivery.Event
	bodies     map[delivery.ID][]byte
	deliveries []delivery.Delivery
	attempts   map[delivery.ID][]delivery.Attempt
	published  [][]publish.Request
	portals    []PortalLink
	publishErr error
	broken     error // what every call fails with
	resolved   map[delivery.ID]string
	discarded  []delivery.ID
	defaults   []Defaults
	overlaps   []time.Duration
	replayable func(delivery.ID) ReplayRefusal
	recoveries []Recovery
	signals    []Signal
	acts       []Act
	actErr     error
	audited    []AuditEntry
	figures    figures
	worklist   Worklist // the last one asked for
	outcomes   []OutcomeFilter

	auditFilters []AuditFilter

	secretHeaders map[delivery.ID]map[string]string

	sourceStore
	userStore
}

type onceEntry struct {
	fingerprint [32]byte
	id          delivery.ID
}

var (
	errMissing  = errors.New("nothing has this id")
	errConflict = errors.New("the tenant exists")
	errNotDead  = errors.New("the delivery is not dead")
	errNoPolicy = errors.New("there is no such policy")
	errEnded    = errors.New("the recovery has ended")
)

// translate is what app gives the real API.
func translate(err error) Code {
	switch {
	case errors.Is(err, errMissing):
		return NotFound
	case errors.Is(err, errNoPolicy):
		return UnknownPolicy
	case errors.Is(err, errConflict):
		return TenantExists
	case errors.Is(err, errNotDead):
		return DeliveryNotResolvable
	case errors.Is(err, errEnded):
		return RecoveryEnded
	case errors.Is(err, errNameTaken):
		return SecretNameTaken
	case errors.Is(err, errUserExists):
		return UserExists
	case errors.Is(err, errLastAdmin):
		return LastAdmin
	default:
		return ""
	}
}

func newMemory() *memory {
	return &memory{
		tenants: map[string]Tenant{}, keys: map[string]Key{}, endpoints: map[delivery.ID]Endpoint{},
		policies: map[string]StoredPolicy{}, once: map[string]onceEntry{}, bodies: map[delivery.ID][]byte{},
		attempts: map[delivery.ID][]delivery.Attempt{}, resolved: map[delivery.ID]string{},
		replayable: func(delivery.ID) ReplayRefusal { return "" }, sourceStore: newSourceStore(), userStore: newUserStore(),
	}
}

func newID(tenant string) delivery.ID {
	return delivery.NewID(delivery.ShardOf(tenant), time.Now(), rand.Reader)
}

// textual is what a database says of text that it cannot hold.
func textual(text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return errors.New("invalid byte sequence for encoding UTF8")
	}
	return nil
}

// begin locks, and fails if the stores are broken.
func (m *memory) begin() (func(), error) {
	m.mu.Lock()
	return m.mu.Unlock, m.broken
}

// first says whether a key is new, and otherwise what it made.
func (m *memory) first(scope string, once Once, id delivery.ID) (delivery.ID, bool, error) {
	if once.Key == "" {
		return id, true, nil
	}
	entry, known := m.once[scope+once.Key]
	switch {
	case !known:
		m.once[scope+once.Key] = onceEntry{once.Fingerprint, id}
		return id, true, nil
	case entry.fingerprint != once.Fingerprint:
		return delivery.ID{}, false, delivery.ErrKeyReused
	default:
		return entry.id, false, nil
	}
}

func (m *memory) Publish(_ context.Context, requests []publish.Request) ([]publish.Result, error) {
	end, err := m.begin()
	defer end()
	if err = errors.Join(err, m.publishErr); err != nil {
		return nil, err
	}
	m.published = append(m.published, requests)
	results := make([]publish.Result, len(requests))
	for i, r := range requests {
		if _, known := m.tenants[r.Tenant]; !known {
			return nil, &publish.RefusedError{Index: i, Err: delivery.ErrUnknownTenant}
		}
		results[i] = publish.Result{ID: newID(r.Tenant), Deliveries: 2, Skipped: 1}
	}
	return results, nil
}

func (m *memory) FindKey(_ context.Context, plain string) (Key, bool, error) {
	end, err := m.begin()
	defer end()
	m.keyLookups++
	key, known := m.keys[plain]
	return key, known && key.RevokedAt.IsZero(), err
}

func (m *memory) CreateKey(_ context.Context, scope Scope, tenant, name string, once Once) (string, Key, error) {
	end, err := m.begin()
	defer end()
	if err != nil {
		return "", Key{}, err
	}
	if _, known := m.tenants[tenant]; !known && tenant != "" {
		return "", Key{}, delivery.ErrUnknownTenant
	}
	id, first, err := m.first("key:"+tenant, once, newID(tenant))
	if err != nil {
		return "", Key{}, err
	}
	if !first {
		for _, key := range m.keys {
			if key.ID == id {
				return "", key, nil
			}
		}
	}
	key := Key{ID: id, Tenant: tenant, Scope: scope, Name: name, CreatedAt: time.Now()}
	plain := "mlt_" + rand.Text()
	m.keys[plain] = key
	return plain, key, nil
}

func (m *memory) Keys(_ context.Context, owner Owner, page Page) ([]Key, bool, error) {
	end, err := m.begin()
	defer end()
	var keys []Key
	for _, key := range m.keys {
		if owner.Owns(key.Tenant) {
			keys = append(keys, key)
		}
	}
	keys, more := cutPage(keys, page, func(k Key) delivery.ID { return k.ID })
	return keys, more, err
}

func (m *memory) RevokeKey(_ context.Context, owner Owner, id delivery.ID) (Key, error) {
	end, err := m.begin()
	defer end()
	for plain, key := range m.keys {
		if key.ID == id && owner.Owns(key.Tenant) {
			key.RevokedAt = time.Now()
			m.keys[plain] = key
			return key, err
		}
	}
	return Key{}, errMissing
}

func (m *memory) CreateTenant(_ context.Context, tenant Tenant, once Once) (Tenant, bool, error) {
	end, err := m.begin()
	defer end()
	if err != nil {
		return Tenant{}, false, err
	}
	_, first, err := m.first("tenant:", once, newID(tenant.ID))
	if err != nil || !first {
		return m.tenants[tenant.ID], false, err
	}
	if _, exists := m.tenants[tenant.ID]; exists {
		return Tenant{}, false, errConflict
	}
	tenant.CreatedAt, tenant.UpdatedAt = time.Now(), time.Now()
	m.tenants[tenant.ID] = tenant
	return tenant, true, nil
}

func (m *memory) Tenant(_ context.Context, slug string) (Tenant, error) {
	end, err := m.begin()
	defer end()
	err = errors.Join(err, textual(slug))
	tenant, known := m.tenants[slug]
	if err == nil && !known {
		err = delivery.ErrUnknownTenant
	}
	return tenant, err
}

func (m *memory) Tenants(_ context.Context, after string, limit int) ([]Tenant, bool, error) {
	end, err := m.begin()
	defer end()
	err = errors.Join(err, textual(after))
	var tenants []Tenant
	for _, tenant := range m.tenants {
		if tenant.ID > after {
			tenants = append(tenants, tenant)
		}
	}
	slices.SortFunc(tenants, func(a, b Tenant) int { return strings.Compare(a.ID, b.ID) })
	return tenants[:min(limit, len(tenants))], len(tenants) > limit, err
}

func (m *memory) UpdateTenant(_ context.Context, slug string, patch TenantPatch) (Tenant, error) {
	end, err := m.begin()
	defer end()
	tenant := m.tenants[slug]
	if patch.Name != nil {
		tenant.Name = *patch.Name
	}
	if patch.Priority != nil {
		tenant.Priority = *patch.Priority
	}
	m.tenants[slug] = tenant
	return tenant, err
}

func (m *memory) DeleteTenant(_ context.Context, slug string) error {
	end, err := m.begin()
	defer end()
	delete(m.tenants, slug)
	return err
}

// cutPage sorts rows by id and takes a page of them.
func cutPage[T any](rows []T, page Page, id func(T) delivery.ID) ([]T, bool) {
	byID := func(a, b T) int { x, y := id(a), id(b); return slices.Compare(x[:], y[:]) }
	slices.SortFunc(rows, byID)
	rows = slices.DeleteFunc(rows, func(row T) bool { x := id(row); return slices.Compare(x[:], page.After[:]) <= 0 })
	return rows[:min(page.Limit, len(rows))], len(rows) > page.Limit
}

// urls allows everything but what says "bad".
type urls struct{}

func (urls) CheckURL(raw string) (*url.URL, error) {
	target, err := url.Parse(raw)
	if err != nil || target.Host == "" || strings.Contains(raw, "bad") {
		return nil, errors.New("the URL must begin with https://")
	}
	return target, nil
}
