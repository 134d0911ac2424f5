package main

import (
	"errors"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// storageFlags say where everything is kept.
type storageFlags struct {
	DatabaseURL string `help:"PostgreSQL to use. Without it, a private one is started under --data-dir." env:"DATABASE_URL,MALOTE_DATABASE_URL" placeholder:"URL"`
	DataDir     string `help:"Where the private PostgreSQL, the first admin key and the key that seals secrets are kept; ./malote-data if left out." default:"./malote-data" type:"path" placeholder:"DIR"`
}

// dsn is how to reach the database that malote serve uses with the same flags; a
// private one must be running.
func (f *storageFlags) dsn() (string, error) {
	if f.DatabaseURL != "" {
		return f.DatabaseURL, nil
	}
	dsn, err := runningPrivateDSN(f.DataDir)
	if errors.Is(err, errNoPrivateDatabase) {
		return "", &usageError{"there is no database: set DATABASE_URL, or start malote serve, whose private one runs under --data-dir"}
	}
	return dsn, err
}

// exposureFlags say who may come in, and where Malote may go out to.
type exposureFlags struct {
	Listen            string         `help:"Address of the API, /metrics and health checks; 127.0.0.1:8420 if left out." default:"127.0.0.1:8420" placeholder:"ADDR"`
	AllowDestinations []netip.Prefix `help:"Private ranges that endpoints may be in, such as 10.0.0.0/8. For development." placeholder:"CIDR"`
	RequireHTTPS      bool           `name:"require-https" help:"Refuse endpoints that are not https."`
}

// inboundFlags are about what stands between providers of webhooks and here.
type inboundFlags struct {
	PublicURL      string         `name:"public-url" help:"This server's address as providers of webhooks are given it, such as https://hooks.example.com; some sign it. What a request says, if left out." placeholder:"URL"`
	TrustedProxies []netip.Prefix `help:"Proxies in front of this server, such as 10.0.0.0/8, whose X-Forwarded-For says who sends." placeholder:"CIDR"`
}

// dashboardFlags are about who sees the pages.
type dashboardFlags struct {
	PortalOrigins []string `help:"Sites whose pages may show the tenant portal in a frame, such as https://app.example.com." placeholder:"ORIGIN"`
}

// publicURL is the public address without a slash at its end.
func (f *inboundFlags) publicURL() (string, error) {
	if f.PublicURL == "" {
		return "", nil
	}
	address, err := url.Parse(f.PublicURL)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" || address.User != nil ||
		address.RawQuery != "" || address.Fragment != "" {
		return "", &usageError{"--public-url must be like https://hooks.example.com"}
	}
	return strings.TrimSuffix(f.PublicURL, "/"), nil
}

// errNoPrivateDatabase means that no private PostgreSQL runs under a data directory.
var errNoPrivateDatabase = errors.New("no private PostgreSQL runs there")

// runningPrivateDSN is how to reach the private PostgreSQL that a running malote
// serve keeps under the data directory; package localpg says what lies there.
func runningPrivateDSN(dataDir string) (string, error) {
	home, err := filepath.Abs(filepath.Join(dataDir, "postgres"))
	if err != nil {
		return "", err
	}
	socket := filepath.Join(home, "socket")
	if _, err := os.Stat(filepath.Join(socket, ".s.PGSQL.5432")); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", errNoPrivateDatabase
		}
		return "", err
	}
	password, err := os.ReadFile(filepath.Join(home, "password"))
	if err != nil {
		return "", err
	}
	dsn := url.URL{
		Scheme: "postgres", User: url.UserPassword("malote", strings.TrimSpace(string(password))), Path: "/malote",
		RawQuery: "host=" + url.PathEscape(socket) + "&port=5432&sslmode=disable",
	}
	return dsn.String(), nil
}
