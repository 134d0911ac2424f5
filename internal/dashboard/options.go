package dashboard

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/malotehq/malote/internal/dashboard/assets"
	"github.com/malotehq/malote/internal/dashboard/page"
)

// Options of New. All interfaces are required.
type Options struct {
	Backend  page.Backend
	Accounts Accounts

	// PublicURL is the address that people's browsers have this server under,
	// without a slash at its end; empty: what a request says.
	PublicURL string

	// OpenLink reads a portal link's token, at the time given; ErrLink: it does not
	// work.
	OpenLink func(token string, now time.Time) (PortalLink, error)

	// PortalOrigins may show the portal inside of their own pages; empty: nobody.
	// They become a part of a header, so they must be origins and nothing else.
	PortalOrigins []string

	// ClientAddress says whom a request comes from, past proxies that are trusted.
	ClientAddress func(*http.Request) netip.Addr

	// Ending is closed when the process stops, so that streams end.
	Ending <-chan struct{}

	Now func() time.Time // default time.Now
	Log *slog.Logger
}

// dashboard is what all handlers share. It never changes after New.
type dashboard struct {
	Options
	nav     []page.NavItem
	origins *http.CrossOriginProtection
	doors   *throttle
	hashing *hasher
}

// New makes the handler for all pages. It panics if an option is missing, which
// is a mistake in the program.
func New(options Options) http.Handler { return newHandler(options, newHasher(hashCost)) }

func newHandler(options Options, hashing *hasher) http.Handler {
	if err := options.complete(); err != nil {
		panic(err)
	}
	d := &dashboard{
		Options: options, origins: http.NewCrossOriginProtection(),
		doors: newThrottle(options.Now), hashing: hashing,
	}
	if options.PublicURL != "" {
		// A proxy may hand requests on under another host than the browser's.
		if err := d.origins.AddTrustedOrigin(originOf(options.PublicURL)); err != nil {
			panic("dashboard: PublicURL has no origin: " + err.Error())
		}
	}
	mux := http.NewServeMux()
	mux.Handle(assets.Prefix, assets.Handler())
	for _, group := range append(groups(), d.own()) {
		d.nav = append(d.nav, group.Nav...)
		for _, route := range group.Routes {
			mux.Handle(route.Pattern, d.member(route))
		}
	}
	for pattern, route := range d.openRoutes() {
		mux.Handle(pattern, d.anybody(route))
	}
	mux.Handle("/", d.member(page.Route{Pattern: "/", Need: page.Viewer, Portal: true, Serve: unknown}))
	return d.survive(mux)
}

func (o *Options) complete() error {
	if o.Backend == nil || o.Accounts == nil || o.OpenLink == nil || o.Log == nil || o.ClientAddress == nil {
		return errors.New("dashboard: Options need Backend, Accounts, OpenLink, ClientAddress and Log")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}
