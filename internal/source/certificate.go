package source

import (
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"strings"
)

// certificateAt is the certificate that was fetched from an address, or what is
// to be fetched. of says whether a name is one of the provider's.
//
// That it is the provider's certificate rests on where it came from: the host is
// held to the provider's before, and its TLS certificate is checked by whoever
// fetches. What the certificate says of itself is checked besides.
func (c *call) certificateAt(fetch Fetch, of func(name string) bool) (*x509.Certificate, *refusal) {
	text, fetched := c.options.Fetched[fetch.Key]
	if !fetched {
		return nil, &refusal{result: BadSignature, reason: KeyNeeded, detail: fetch.URL, fetch: &fetch}
	}
	block, _ := pem.Decode(text)
	if block == nil || len(text) > maxFetched {
		return nil, bad(CertificateUnusable, "it is not PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, bad(CertificateUnusable, "it does not parse")
	}
	names := append(certificate.DNSNames, certificate.Subject.CommonName)
	ours := false
	for _, name := range names {
		ours = ours || of(strings.ToLower(name))
	}
	switch {
	case !ours:
		return nil, bad(CertificateUnusable, "it is another host's")
	// One that begins later is no worse: recorded requests are older than the
	// certificate that is at their address today.
	case !c.now.IsZero() && c.now.After(certificate.NotAfter):
		return nil, bad(CertificateUnusable, "it has ended")
	}
	return certificate, nil
}

// signedBy checks a signature of RSA with PKCS #1 v1.5.
func signedBy(certificate *x509.Certificate, hash crypto.Hash, message string, signature []byte) bool {
	key, ok := certificate.PublicKey.(*rsa.PublicKey)
	if !ok {
		return false
	}
	sum := hash.New()
	sum.Write([]byte(message))
	return rsa.VerifyPKCS1v15(key, hash, sum.Sum(nil), signature) == nil
}

// pinned parses an address that a stranger gave and that is to be called: https,
// a host of the provider's, its default port, and nothing that could be read
// otherwise by another parser.
func pinned(address string, host func(string) bool) (*url.URL, bool) {
	if strings.ContainsAny(address, "\\ \t\r\n") || len(address) > 2048 {
		return nil, false
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" || parsed.User != nil || parsed.Fragment != "" || parsed.Opaque != "" || !host(parsed.Host) {
		return nil, false
	}
	return parsed, true
}
