package gaprepair

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// The providers whose gaps can be repaired, by their names in internal/source.
const (
	GitHub = "github"
	Stripe = "stripe"
)

// DefaultInterval is the time between the beginnings of two passes.
const DefaultInterval = 5 * time.Minute

// A Source is what is to be compared. Its repetitions must be told by the
// provider's own id: with any other rule the door would take an event of the
// list and its webhook for two.
type Source struct {
	ID       delivery.ID
	Tenant   string
	Provider string // GitHub or Stripe
	Token    Token  // reads the list; GitHub's may also write to the hook

	// BaseURL is where the API is, without a slash at the end; empty: the
	// provider's own. A GitHub Enterprise Server has it at https://host/api/v3.
	BaseURL string
	Hook    Hook     // GitHub's
	Types   []string // Stripe's that its endpoint gets; empty: all

	// Shape does what the door does with an event once it is verified: it gives it
	// the type that the source's rule says, and says false of one that the source's
	// filter leaves out. nil: it is taken as it is. For Stripe.
	Shape func(*publish.Request) bool `json:"-"`
	// Filtered says that the door may leave out what it answered with a 2xx. What
	// it left out has no key, so GitHub's word for it must do: a delivery that was
	// answered so, is not missed.
	Filtered bool

	// Since is when the source came to be, by our clock: what happened earlier was
	// sent to somebody else, and no pass brings it in.
	Since    time.Time
	Interval time.Duration // default DefaultInterval
}

// A Hook names a webhook of GitHub's, of a repository or, without one, of an
// organisation.
type Hook struct {
	Owner      string
	Repository string
	ID         int64
}

// A Token is a key of a provider's API. Nothing prints it.
type Token string

// String keeps it out of whatever prints a Source.
func (Token) String() string { return "(token)" }

// GoString does so for %#v.
func (Token) GoString() string { return "(token)" }

// LogValue does so for logs.
func (Token) LogValue() slog.Value { return slog.StringValue("(token)") }

// MarshalText does so for JSON.
func (Token) MarshalText() ([]byte, error) { return []byte("(token)"), nil }

// A SettingError says which setting of a source is of no use and what to do.
type SettingError struct {
	Field  string // provider, token, base_url, hook
	Reason string
}

func (e *SettingError) Error() string { return e.Field + " " + e.Reason }

// Check says what is wrong with a source's settings, before they are saved. Its
// errors are *SettingError, and hold nothing of the token.
func (s Source) Check() error {
	if _, known := providers[s.Provider]; !known {
		return &SettingError{"provider", "must be github or stripe: no other's list can be read"}
	}
	if s.Token == "" || !isPath(string(s.Token), "") {
		return &SettingError{"token", "must be a key of the provider's API, without white space"}
	}
	if s.Provider == GitHub && (!isPath(s.Hook.Owner, "/?#%") || strings.Trim(s.Hook.Owner, ".") == "" || s.Hook.ID <= 0) {
		return &SettingError{"hook", "must have the owner and the number of the webhook, as in its address on GitHub"}
	}
	if r := s.Hook.Repository; s.Provider == GitHub && r != "" && (!isPath(r, "/?#%") || strings.Trim(r, ".") == "") {
		return &SettingError{"hook", "must have the repository's name without its owner"}
	}
	return checkBase(s.BaseURL)
}

// isPath says whether a text is of printable ASCII without spaces and without
// any of what is excluded.
func isPath(text, excluded string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' || strings.IndexByte(excluded, c) >= 0 {
			return false
		}
	}
	return true
}

// checkBase lets no token go over a line that others can read, but to this
// machine.
func checkBase(base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(base, "/"):
		return &SettingError{"base_url", "must be like https://api.example.com, with nothing after its path"}
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return &SettingError{"base_url", "must begin with https://, or the token can be read on its way"}
	}
	return nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}

func (s Source) shown() string { return s.ID.Format(delivery.SourcePrefix) }

func (h Hook) path() string {
	if h.Repository == "" {
		return fmt.Sprintf("/orgs/%s/hooks/%d", url.PathEscape(h.Owner), h.ID)
	}
	return fmt.Sprintf("/repos/%s/%s/hooks/%d", url.PathEscape(h.Owner), url.PathEscape(h.Repository), h.ID)
}
