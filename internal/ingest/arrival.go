package ingest

import (
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/malotehq/malote/internal/source"
)

// arrival is the request as package source takes it, without its body. net/http
// keeps the order of a header's values, and none among headers.
func (d *Door) arrival(r *http.Request, configured string) source.Request {
	return source.Request{
		Method: r.Method, URL: d.addressOf(r, configured), Header: headerOf(r.Header), Remote: SenderOf(r, d.trustedProxies),
	}
}

func headerOf(header http.Header) source.Header {
	fields := make(source.Header, 0, len(header))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			fields = append(fields, source.Field{Name: name, Value: value})
		}
	}
	return fields
}

// addressOf is the absolute address that the provider was given: the source's
// setting, or the server's public address and this request's path, or, where
// nobody set either, what the request itself says. The query is this request's.
func (d *Door) addressOf(r *http.Request, configured string) string {
	address := configured
	if address == "" {
		base := strings.TrimSuffix(d.publicURL, "/")
		if base == "" {
			base = "http://" + r.Host
			if r.TLS != nil {
				base = "https://" + r.Host
			}
		}
		address = base + r.URL.EscapedPath()
	}
	if r.URL.RawQuery == "" {
		return address
	}
	address, _, _ = strings.Cut(address, "?")
	return address + "?" + r.URL.RawQuery
}

// SenderOf is the address of whoever sent the request: the connection's, or what
// a trusted proxy says of it. Each proxy adds to the end of X-Forwarded-For, so
// that the last one that is no proxy of ours is the sender. The zero value: it
// cannot be told.
func SenderOf(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	sender := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !trusts(trusted, sender) {
			break
		}
		said, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		sender = said.Unmap()
	}
	return sender
}

func trusts(proxies []netip.Prefix, peer netip.Addr) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(peer) })
}
