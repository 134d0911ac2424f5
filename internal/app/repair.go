package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/gaprepair"
	"github.com/malotehq/malote/internal/ingest"
	"github.com/malotehq/malote/internal/metrics"
	"github.com/malotehq/malote/internal/source"
	"github.com/malotehq/malote/internal/store/inbound"
	"github.com/malotehq/malote/internal/store/registry"
)

// repairCall bounds one call of a provider's API.
const repairCall = 30 * time.Second

func (p *process) newRepairs() *gaprepair.Runner {
	books := repairBooks{p.inbound}
	return gaprepair.New(gaprepair.Options{
		Sources: repairSources{p.registry, p.options.MaxBodyBytes}, Keys: books, Positions: books, Publisher: p.publisher,
		Observer: repairMetrics{p.metrics}, Client: guardedClient(p.guard), Log: p.log,
	})
}

// guardedClient calls providers' APIs, whose addresses users may set, by the rules
// that endpoints are called by.
func guardedClient(guard *egress.Guard) *http.Client {
	return &http.Client{
		Timeout: repairCall,
		Transport: &http.Transport{
			DialContext: egress.NewDialer(guard, nil).DialContext, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 2,
		},
	}
}

// repairSettings are the member "repair" of a source's settings.
type repairSettings struct {
	BaseURL  string   `json:"base_url"` // of the provider's API; empty: its own
	Types    []string `json:"types"`    // Stripe's that its endpoint gets; empty: all
	Interval string   `json:"interval"` // between two comparisons; empty: 5m
	Hook     struct {
		Owner      string `json:"owner"`
		Repository string `json:"repository"`
		ID         int64  `json:"id"`
	} `json:"hook"` // GitHub's
}

func readRepairSettings(repair json.RawMessage) (own repairSettings, _ error) {
	if len(repair) == 0 {
		return own, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(repair))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&own); err != nil {
		return repairSettings{}, fmt.Errorf("repair: %w", err)
	}
	return own, nil
}

// origin is where the token goes, in one spelling; "" is the provider's own place.
func (s repairSettings) origin() (string, error) {
	if s.BaseURL == "" {
		return "", nil
	}
	base, err := url.Parse(s.BaseURL)
	if err != nil {
		return "", fmt.Errorf("repair: base_url: %w", err)
	}
	port := cmp.Or(base.Port(), map[string]string{"https": "443", "http": "80"}[base.Scheme])
	return base.Scheme + "://" + net.JoinHostPort(strings.ToLower(base.Hostname()), port), nil
}

// keepsTokenAt refuses settings by which a repair's token would go to another host
// than the present one: its owner gave it for that, nobody can read it, and whoever
// changes settings may have a host of their own. What cannot be read may be any host.
func keepsTokenAt(present, changed json.RawMessage) error {
	before, err := originIn(present)
	after, wrong := originIn(changed)
	if err == nil && wrong == nil && before == after {
		return nil
	}
	return &api.SettingsRefusal{
		Field: "options.repair.base_url",
		Text: "must name the same host as now while the source has a secret with the role repair, which would go to the other one: " +
			"revoke that secret, change the address, and add the secret again (repair is replaced as a whole: repeat a base_url that is to stay)",
	}
}

func originIn(settings json.RawMessage) (string, error) {
	_, repair, err := splitSettings(settings)
	if err != nil {
		return "", err
	}
	own, err := readRepairSettings(repair)
	if err != nil {
		return "", err
	}
	return own.origin()
}

// repairable makes a source that can be compared of its provider, its settings and
// its token; ok is false where it tells repetitions by a rule of its own.
func repairable(provider string, settings json.RawMessage, token string, maxBody int) (found gaprepair.Source, ok bool, _ error) {
	door, repair, err := splitSettings(settings)
	if err != nil {
		return gaprepair.Source{}, false, err
	}
	known, isKnown := source.Lookup(provider)
	if !isKnown {
		return gaprepair.Source{}, false, fmt.Errorf("there is no provider %q", provider)
	}
	rules, err := ingest.ParseSettings(known, door, cmp.Or(maxBody, ingest.DefaultMaxBody))
	if err != nil || !rules.KnowsRepetitionsByProvider() {
		return gaprepair.Source{}, false, err
	}
	own, err := readRepairSettings(repair)
	if err != nil {
		return gaprepair.Source{}, false, err
	}
	found = gaprepair.Source{
		Provider: provider, Token: gaprepair.Token(token), BaseURL: own.BaseURL, Types: own.Types,
		Hook: gaprepair.Hook(own.Hook), Shape: rules.Shape(known), Filtered: rules.Filter != nil,
	}
	if own.Interval != "" {
		if found.Interval, err = time.ParseDuration(own.Interval); err != nil || found.Interval < time.Minute {
			return gaprepair.Source{}, false, fmt.Errorf("repair: interval must be a duration of at least 1m, such as 5m")
		}
	}
	return found, true, found.Check()
}

// repairSources lists what there is to repair.
type repairSources struct {
	registry *registry.Registry
	maxBody  int
}

// Repairable implements gaprepair.Sources. A source whose settings are of no use
// is left out; the error says which.
func (s repairSources) Repairable(ctx context.Context) ([]gaprepair.Source, error) {
	listed, err := s.registry.RepairSources(ctx)
	var sources []gaprepair.Source
	for _, stored := range listed {
		found, ok, wrong := repairable(stored.Provider, stored.Settings, stored.Token.Value, s.maxBody)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("source %s cannot be repaired: %w", stored.ID.Format(delivery.SourcePrefix), wrong))
			continue
		}
		if ok {
			found.ID, found.Tenant, found.Since = stored.ID, stored.Tenant, stored.CreatedAt
			sources = append(sources, found)
		}
	}
	return sources, err
}

// repairBooks are the door's memory and how far repairs have come.
type repairBooks struct{ records *inbound.Records }

// Known implements gaprepair.Keys.
func (b repairBooks) Known(ctx context.Context, source delivery.ID, keys []string) (map[string]bool, error) {
	return b.records.RecentIDs(ctx, source, keys)
}

// Load implements gaprepair.Positions.
func (b repairBooks) Load(ctx context.Context, source delivery.ID) (gaprepair.Position, error) {
	found, err := b.records.Position(ctx, source)
	return gaprepair.Position{State: found.Position, CheckedAt: found.CheckedAt, LastError: found.LastError}, err
}

// Save implements gaprepair.Positions.
func (b repairBooks) Save(ctx context.Context, source delivery.ID, at gaprepair.Position, found int) error {
	progress := inbound.Progress{Position: at.State, CheckedAt: at.CheckedAt, Found: int64(found), LastError: at.LastError}
	if at.LastError != "" {
		progress.FailedAt = time.Now()
	}
	return b.records.SavePosition(ctx, source, progress)
}

// repairMetrics counts what comparisons came to.
type repairMetrics struct{ metrics *metrics.Metrics }

// GapsCompared implements gaprepair.Observer.
func (m repairMetrics) GapsCompared(provider string, report gaprepair.Report, _ error) {
	m.metrics.GapsFound(provider, report.Missing, report.Fed+report.Asked, report.Refused+report.GivenUp)
}
