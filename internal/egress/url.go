package egress

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// CheckURL returns the normal form of a destination, or a *[URLError] with the
// rule that refuses it. No name is resolved.
//
// The normal form has a lower-case scheme and an ASCII host in lower case
// without a trailing dot, no default or empty port, at least "/" as its path,
// only bytes that RFC 3986 allows, and no fragment (it is never sent). It
// checks to itself, so it is what to store and to call.
//
// The text is split here and then parsed again by net/url, and both must see
// the same host: a URL that two parsers read differently is refused.
func (g *Guard) CheckURL(raw string) (*url.URL, error) {
	target, _, err := g.read(raw)
	return target, err
}

func (g *Guard) read(raw string) (*url.URL, destination, error) {
	if err := checkCharacters(raw); err != nil {
		return nil, destination{}, err
	}
	parts, err := split(raw)
	if err != nil {
		return nil, destination{}, err
	}
	host, err := g.checkHost(parts.host, parts.bracketed)
	if err != nil {
		return nil, destination{}, err
	}
	if parts.scheme == "http" && g.requireHTTPS && !host.opened {
		return nil, destination{}, refuse(RuleScheme, "http is not allowed here: use https")
	}
	port, err := g.checkPort(parts.scheme, parts.port, host.opened)
	if err != nil {
		return nil, destination{}, err
	}
	target, err := assemble(parts.scheme, host.authority(port), escapeRest(parts.rest))
	return target, host, err
}

// urlParts is a URL cut up at its delimiters, with nothing interpreted yet but
// the scheme.
type urlParts struct {
	scheme    string // "http" or "https"
	host      string // without brackets
	bracketed bool
	port      string // digits unchecked; "" if absent or empty
	rest      string // path and query, beginning with "/"
}

func split(raw string) (urlParts, error) {
	scheme, after, found := strings.Cut(raw, ":")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "https" && scheme != "http" {
		return urlParts{}, refuse(RuleScheme, "the URL is not an HTTP one: begin it with https://")
	}
	after, found = strings.CutPrefix(after, "//")
	if !found {
		return urlParts{}, refuse(RuleEmptyHost, "the URL names no host: write two slashes after %s:", scheme)
	}
	after, _, _ = strings.Cut(after, "#")
	end := strings.IndexAny(after, "/?")
	if end < 0 {
		end = len(after)
	}
	authority, rest := after[:end], after[end:]
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	parts := urlParts{scheme: scheme, rest: rest}
	if err := parts.splitAuthority(authority); err != nil {
		return urlParts{}, err
	}
	return parts, nil
}

func (p *urlParts) splitAuthority(authority string) error {
	if strings.Contains(authority, "@") {
		return refuse(RuleUserinfo, "the URL has a user name or password before the host: remove everything up to the @, and use a header for credentials")
	}
	inside, bracketed := strings.CutPrefix(authority, "[")
	if !bracketed {
		if strings.Contains(authority, "%") {
			return refuse(RulePercentInHost, "the host is percent-encoded: write the name itself")
		}
		p.host, p.port, _ = strings.Cut(authority, ":")
		return nil
	}
	host, tail, closed := strings.Cut(inside, "]")
	port, hasPort := strings.CutPrefix(tail, ":")
	if !closed || tail != "" && !hasPort {
		return refuse(RuleIPLiteral, "the address in brackets is not complete: write it like [2606:4700:4700::1111]")
	}
	p.host, p.port, p.bracketed = host, port, true
	return nil
}

// destination is a host that passed.
type destination struct {
	name   string     // in normal form; for a literal, the address as text
	addr   netip.Addr // valid for a literal
	opened bool       // reached through a hole of the operator's: any port and scheme
}

func (d destination) authority(port uint16) string {
	host := d.name
	if d.addr.Is6() {
		host = "[" + host + "]"
	}
	if port == 0 {
		return host
	}
	return net.JoinHostPort(d.name, strconv.Itoa(int(port)))
}

func (g *Guard) checkHost(host string, bracketed bool) (destination, error) {
	if bracketed {
		return g.checkIPv6Literal(host)
	}
	host = strings.TrimSuffix(host, ".")
	if host == "" {
		return destination{}, refuse(RuleEmptyHost, "the URL names no host: write it like https://hooks.example.com/")
	}
	name, err := asciiName(host)
	if err != nil {
		return destination{}, err
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is4() {
		return g.checkLiteral(addr)
	}
	if name == "localhost" && len(g.loopback) > 0 {
		return destination{name: name, opened: true}, nil
	}
	if err := checkName(name); err != nil {
		return destination{}, err
	}
	return destination{name: name}, nil
}

func (g *Guard) checkIPv6Literal(text string) (destination, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is6() {
		return destination{}, refuse(RuleIPLiteral, "%q is not an IPv6 address: brackets hold one like [2606:4700:4700::1111]", text)
	}
	if addr.Is4In6() {
		return destination{}, refuse(RuleSpecialPurpose, "%s is an IPv4 address inside an IPv6 one: use a name, or the IPv4 address itself", addr)
	}
	return g.checkLiteral(addr)
}

func (g *Guard) checkLiteral(addr netip.Addr) (destination, error) {
	if err := g.CheckAddr(addr); err != nil {
		return destination{}, &URLError{Rule: RuleOf(err), Advice: err.Error()}
	}
	return destination{name: addr.String(), addr: addr, opened: g.opened(addr)}, nil
}

// checkPort returns the port, or 0 for the scheme's own.
func (g *Guard) checkPort(scheme, text string, opened bool) (uint16, error) {
	own := httpsPort
	if scheme == "http" {
		own = httpPort
	}
	port := own
	if text != "" {
		number, err := strconv.ParseUint(text, 10, 16)
		if err != nil || number == 0 {
			return 0, refuse(RulePort, "%q is not a port: use digits from 1 to 65535", text)
		}
		port = uint16(number)
	}
	allowed := opened || slices.Contains(g.ports, port) || scheme == "http" && port == httpPort
	if !allowed {
		return 0, refuse(RulePort, "port %d is not allowed for %s: use %s", port, scheme, g.portList(scheme))
	}
	if port == own {
		return 0, nil
	}
	return port, nil
}

func (g *Guard) portList(scheme string) string {
	ports := slices.Clone(g.ports)
	if scheme == "http" {
		ports = append(ports, httpPort)
	}
	slices.Sort(ports)
	words := make([]string, 0, len(ports))
	for _, port := range slices.Compact(ports) {
		words = append(words, strconv.Itoa(int(port)))
	}
	return strings.Join(words, " or ")
}

func assemble(scheme, authority, rest string) (*url.URL, error) {
	text := scheme + "://" + authority + rest
	parsed, err := url.Parse(text)
	if err != nil {
		return nil, refuse(RuleMalformed, "the URL cannot be read: a %% in the path must be followed by two hexadecimal digits")
	}
	if parsed.Host != authority || parsed.User != nil || parsed.String() != text {
		return nil, refuse(RuleMalformed, "the URL can be read in more than one way: write it in its plain form")
	}
	return parsed, nil
}
