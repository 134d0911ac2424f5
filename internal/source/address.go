package source

import (
	"net/url"
	"strings"
)

// otherURLs are the forms of an address that proxies and settings mix up.
func otherURLs(address string, signs func(url string) content) []alternative {
	forms := []struct{ form, what string }{
		{"", "without the address"},
		{"http://" + strings.TrimPrefix(address, "https://"), "with http"},
		{"https://" + strings.TrimPrefix(address, "http://"), "with https"},
		{strings.TrimSuffix(address, "/"), "without the slash at its end"},
		{address + "/", "with a slash at its end"},
	}
	if before, _, found := strings.Cut(address, "?"); found {
		forms = append(forms, struct{ form, what string }{before, "without its query"})
	}
	var others []alternative
	for _, f := range forms {
		if f.form != address {
			others = append(others, alternative{URLDiffers, "it was signed " + f.what, signs(f.form)})
		}
	}
	return others
}

// withPort and withoutPort give the address with its scheme's default port, and
// without any port. Everything else stays as it is written.
func withPort(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Port() != "" || parsed.Host == "" {
		return address
	}
	port := ":443"
	if parsed.Scheme == "http" {
		port = ":80"
	}
	return strings.Replace(address, parsed.Host, parsed.Host+port, 1)
}

func withoutPort(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Port() == "" {
		return address
	}
	return strings.Replace(address, parsed.Host, strings.TrimSuffix(parsed.Host, ":"+parsed.Port()), 1)
}
