package egress

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newGuard(t testing.TB, holes ...string) *Guard {
	t.Helper()
	var rules Rules
	for _, hole := range holes {
		rules.AllowDestinations = append(rules.AllowDestinations, netip.MustParsePrefix(hole))
	}
	guard, err := NewGuard(rules)
	require.NoError(t, err)
	return guard
}

func TestCheckURL_NormalForm(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	for raw, normal := range map[string]string{
		"HTTPS://HOOKS.Example.COM/In":             "https://hooks.example.com/In",
		"https://hooks.example.com":                "https://hooks.example.com/",
		"https://hooks.example.com?a=b":            "https://hooks.example.com/?a=b",
		"https://hooks.example.com/?":              "https://hooks.example.com/?",
		"https://hooks.example.com./in":            "https://hooks.example.com/in",
		"https://hooks.example.com.:443/in":        "https://hooks.example.com/in",
		"https://hooks.example.com:/in":            "https://hooks.example.com/in",
		"https://hooks.example.com:00443/in":       "https://hooks.example.com/in",
		"https://hooks.example.com:8443":           "https://hooks.example.com:8443/",
		"http://hooks.example.com":                 "http://hooks.example.com/",
		"http://hooks.example.com:80/":             "http://hooks.example.com/",
		"http://hooks.example.com:8443/":           "http://hooks.example.com:8443/",
		"https://hooks.example.com/a#b@c":          "https://hooks.example.com/a",
		"https://hooks.example.com/a@b:c//d/../e":  "https://hooks.example.com/a@b:c//d/../e",
		"https://hooks.example.com/a%2fb%0d%0a":    "https://hooks.example.com/a%2fb%0d%0a",
		"https://hooks.example.com/{a}%2Fb?q={c}":  "https://hooks.example.com/%7Ba%7D%2Fb?q=%7Bc%7D",
		"https://hooks.example.com/ü?ü=100%":       "https://hooks.example.com/%C3%BC?%C3%BC=100%",
		"https://hooks.example.com?@127.0.0.1/":    "https://hooks.example.com/?@127.0.0.1/",
		"https://172.32.0.1":                       "https://172.32.0.1/",
		"https://172.32.0.1.:443/":                 "https://172.32.0.1/",
		"https://[2606:4700:4700:0::1111]:8443/in": "https://[2606:4700:4700::1111]:8443/in",
		"https://r3---sn-4g5e.example.com/":        "https://r3---sn-4g5e.example.com/",
		"https://_acme.hooks_1.example.com/":       "https://_acme.hooks_1.example.com/",
		"https://bücher.example.com/":              "https://xn--bcher-kva.example.com/",
	} {
		target, err := guard.CheckURL(raw)
		require.NoError(t, err, raw)
		require.Equal(t, normal, target.String(), raw)
		require.Nil(t, target.User, raw)
	}
}

var refusals = map[string]Rule{
	"":                                                                 RuleScheme,
	"hooks.example.com/in":                                             RuleScheme,
	"hooks.example.com:8443/in":                                        RuleScheme,
	"//hooks.example.com/in":                                           RuleScheme,
	"gopher://hooks.example.com/":                                      RuleScheme,
	"wss://hooks.example.com/":                                         RuleScheme,
	"httpſ://hooks.example.com/":                                       RuleScheme,
	"https:hooks.example.com":                                          RuleEmptyHost,
	"https:/hooks.example.com":                                         RuleEmptyHost,
	"https:////hooks.example.com/":                                     RuleEmptyHost,
	"https://:443/":                                                    RuleEmptyHost,
	"https://./":                                                       RuleEmptyHost,
	"https://me@hooks.example.com/":                                    RuleUserinfo,
	"https://@hooks.example.com/":                                      RuleUserinfo,
	"https://me:pw@[::1]/":                                             RuleUserinfo,
	"https://hooks.example.com/a b":                                    RuleSpace,
	"https://hooks.example.com/?a b":                                   RuleSpace,
	" https://hooks.example.com/":                                      RuleSpace,
	"https://hooks.example.com/\u00a0":                                 RuleSpace,
	"https://hooks.example.com/\u2028":                                 RuleSpace,
	"https://hooks.example.com\n":                                      RuleControlCharacter,
	"https://hooks.example.com/\u0085":                                 RuleControlCharacter,
	"https://hooks.example.com/#\x7f":                                  RuleControlCharacter,
	"https://hooks.exam\u200dple.com/":                                 RuleInvisibleCharacter,
	"\ufeffhttps://hooks.example.com/":                                 RuleInvisibleCharacter,
	"https://hooks.example.com/\u202e":                                 RuleInvisibleCharacter,
	"https://hooks\u115f.example.com/":                                 RuleInvisibleCharacter,
	"https://hooks\ufe0f.example.com/":                                 RuleInvisibleCharacter,
	"https://hooks.example.com/\xff":                                   RuleEncoding,
	"https://hooks.example.com/a\\b":                                   RuleBackslash,
	"https://hooks.example.com/#\\@[::1]":                              RuleBackslash,
	"https://hooks.example%2ecom/":                                     RulePercentInHost,
	"https://hooks.example.com%00.evil.io/":                            RulePercentInHost,
	"https://hooks.example.com:0/":                                     RulePort,
	"https://hooks.example.com:80/":                                    RulePort,
	"https://hooks.example.com:444/":                                   RulePort,
	"http://hooks.example.com:8080/":                                   RulePort,
	"https://hooks.example.com:0x1bb/":                                 RulePort,
	"https://hooks.example.com:443:443/":                               RulePort,
	"https://hooks.example.com:443%20/":                                RulePercentInHost,
	"https://172.32.0.1:22/":                                           RulePort,
	"https://hooks.example.com/%zz":                                    RuleMalformed,
	"https://[::1]x/":                                                  RuleIPLiteral,
	"https://[hooks.example.com]/":                                     RuleIPLiteral,
	"https://[v1.fe80::a]/":                                            RuleIPLiteral,
	"https://[]/":                                                      RuleIPLiteral,
	"https://[2606:4700:4700::1111%25eth0]":                            RuleZone,
	"https://[::ffff:93.184.216.34]/":                                  RuleSpecialPurpose,
	"https://[64:ff9b::5db8:d822]/":                                    RuleSpecialPurpose,
	"https://127.0.0.1./":                                              RuleSpecialPurpose,
	"https://a..example.com/":                                          RuleLabelSyntax,
	"https://hooks.example.com../":                                     RuleLabelSyntax,
	"https://.hooks.example.com/":                                      RuleLabelSyntax,
	"https://a-.example.com/":                                          RuleLabelSyntax,
	"https://*.example.com/":                                           RuleLabelSyntax,
	"https://a,b.example.com/":                                         RuleLabelSyntax,
	"https://hooks.example.0/":                                         RuleNumericLabel,
	"https://hooks.example.0x/":                                        RuleNumericLabel,
	"https://hooks.example.0XfF./":                                     RuleNumericLabel,
	"https://१२७.०.०.१/":                                               RuleNumericLabel,
	"https://xn--e4bcp.xn--e4b/":                                       RuleNumericLabel,
	"https://example/":                                                 RuleReservedName,
	"https://a.b.LOCAL./":                                              RuleReservedName,
	"https://router.home.arpa/":                                        RuleReservedName,
	"https://db.prod.svc.cluster.local/":                               RuleReservedName,
	"https://com/":                                                     RuleSingleLabel,
	"https://gateway./":                                                RuleSingleLabel,
	"https://" + strings.Repeat("a", 64) + ".example.com/":             RuleNameLength,
	"https://" + strings.Repeat("a.", 122) + "example.com/":            RuleNameLength,
	"https://hooks.example.com/" + strings.Repeat("a", maxURLBytes):    RuleTooLong,
	"https://hooks.example.com/" + strings.Repeat("%61", 4*1024):       RuleTooLong,
	"https://" + strings.Repeat("ü", 60) + ".example.com/":             RuleNameLength,
	"https://xn--" + strings.Repeat("99999999", 200) + ".example.com/": RuleIDNAInvalid,
}

func TestCheckURL_Refusals(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	for raw, rule := range refusals {
		_, err := guard.CheckURL(raw)
		require.Error(t, err, raw)
		require.Equal(t, rule, RuleOf(err), "%q: %v", raw, err)
		require.Regexp(t, `(: |; )`, err.Error(), "the sentence says what to do")
	}
}

// The name's and label's longest forms still pass; the trailing dot is not counted.
func TestCheckURL_LengthsAtTheLimit(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	label := strings.Repeat("a", maxLabelOctets)
	longest := strings.Join([]string{label, label, label, strings.Repeat("b", 57), "com"}, ".")
	require.Len(t, longest, maxNameOctets)
	_, err := guard.CheckURL("https://" + longest + "./")
	require.NoError(t, err)
	_, err = guard.CheckURL("https://b" + longest[1:] + "m/")
	require.Equal(t, RuleNameLength, RuleOf(err))
}

func TestCheckURL_Names(t *testing.T) {
	t.Parallel()
	guard := newGuard(t)
	for host, want := range map[string]string{
		"bücher.example.com":        "xn--bcher-kva.example.com",
		"BÜCHER.Example.com":        "xn--bcher-kva.example.com",
		"XN--BCHER-KVA.example.com": "xn--bcher-kva.example.com",
		"straße.de":                 "xn--strae-oqa.de",
		"例え.jp":                     "xn--r8jz45g.jp",
		"אב.co.il":                  "xn--4dbc.co.il",
		"i❤.ws":                     "xn--i-7iq.ws",
		"foo_bar.bücher.de":         "foo_bar.xn--bcher-kva.de",
	} {
		target, err := guard.CheckURL("https://" + host + "/")
		require.NoError(t, err, host)
		require.Equal(t, want, target.Host)
	}
	for host, rule := range map[string]Rule{
		"①②⑦.⓪.⓪.①":                 RuleIDNAChangedName,
		"127。0。0。1":                 RuleIDNAChangedName,
		"hooks．example．com":         RuleIDNAChangedName,
		"ｈooks.example.com":         RuleIDNAChangedName,
		"HOOKS.EXAMPLE.ＣOM":         RuleIDNAChangedName,
		"\u212aelvin.example.com":   RuleIDNAChangedName, // Kelvin sign → k
		"\u212bngstrom.example.com": RuleIDNAChangedName, // Ångström sign → å
		"bu\u0308cher.example.com":  RuleIDNAChangedName, // not composed
		"İstanbul.example.com":      RuleIDNAChangedName, // becomes two characters
		"STRAẞE.de":                 RuleIDNAChangedName,
		"℀.example.com":             RuleIDNAInvalid, // maps to a/c
		"xn--":                      RuleIDNAChangedName,
		"xn--a.example.com":         RuleIDNAInvalid,
		"xn--localhost-.com":        RuleIDNAInvalid, // only ASCII inside
		"xn--bcher-kva0.com":        RuleIDNAInvalid,
		"١٢٧.٠.٠.١":                 RuleIDNAInvalid,
	} {
		_, err := guard.CheckURL("https://" + host + "/")
		require.Equal(t, rule, RuleOf(err), "%q: %v", host, err)
	}
}

// What was checked is what net/http dials: its own mapping of the URL changes nothing.
func TestCheckURL_G08_TransportDialsTheCheckedHost(t *testing.T) {
	t.Parallel()
	guard := newGuard(t, "127.0.0.0/8")
	for raw, want := range map[string]string{
		"https://BÜCHER.example.com./":       "xn--bcher-kva.example.com:443",
		"http://foo_bar.example.com:/":       "foo_bar.example.com:80",
		"https://[2606:4700:0::1]:8443/a#@b": "[2606:4700::1]:8443",
		"http://LOCALHOST.:9000/":            "localhost:9000",
		"https://hooks.example.com?@[::1]/":  "hooks.example.com:443",
	} {
		target, err := guard.CheckURL(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, dialledBy(t, target.String()))
	}
}

func dialledBy(t *testing.T, address string) string {
	t.Helper()
	recorder := &recordingDialer{}
	transport := &http.Transport{DialContext: recorder.DialContext}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, http.NoBody)
	require.NoError(t, err)
	_, err = transport.RoundTrip(request) //nolint:bodyclose // never succeeds
	require.ErrorIs(t, err, errRecorded)
	return recorder.address
}

// CheckURL's own splitting leaves net/url nothing to read differently; if it ever
// does, the URL is refused.
func TestAssemble_RefusesASecondReading(t *testing.T) {
	t.Parallel()
	for _, authority := range []string{"a@b.io", "b%41.io", "b.io/x@y.io", "b.io?x@y.io"} {
		_, err := assemble("https", authority, "/%2f")
		require.Equal(t, RuleMalformed, RuleOf(err), authority)
	}
}

func TestCheckURL_RequireHTTPS(t *testing.T) {
	t.Parallel()
	guard, err := NewGuard(Rules{RequireHTTPS: true, AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	require.NoError(t, err)
	_, err = guard.CheckURL("http://hooks.example.com/")
	require.Equal(t, RuleScheme, RuleOf(err))
	_, err = guard.CheckURL("http://127.0.0.1:9000/")
	require.NoError(t, err, "a hole may be called with http")
}

func TestCheckURL_OwnPorts(t *testing.T) {
	t.Parallel()
	guard, err := NewGuard(Rules{Ports: []uint16{9443}})
	require.NoError(t, err)
	for raw, allowed := range map[string]bool{
		"https://hooks.example.com:9443/": true,
		"http://hooks.example.com/":       true,
		"https://hooks.example.com/":      false,
		"https://hooks.example.com:8443/": false,
	} {
		_, err := guard.CheckURL(raw)
		require.Equal(t, allowed, err == nil, "%s: %v", raw, err)
	}
}

func TestCheckURL_Holes(t *testing.T) {
	t.Parallel()
	guard := newGuard(t, "127.0.0.0/8", "10.1.2.3/16", "fd00::/8")
	for raw, rule := range map[string]Rule{
		"http://127.0.0.1:9000/":             "",
		"https://10.1.255.255:22/":           "",
		"http://[fd00::1]:5432/":             "",
		"http://localhost:3000/":             "",
		"http://LocalHost.:3000/":            "",
		"https://10.2.0.0/":                  RuleSpecialPurpose,
		"http://[::1]:9000/":                 RuleSpecialPurpose,
		"http://[::ffff:127.0.0.1]/":         RuleSpecialPurpose,
		"http://127.1:9000/":                 RuleNumericLabel,
		"http://foo.localhost/":              RuleReservedName,
		"http://hooks.example.com:9000/":     RulePort,
		"http://172.32.0.1:9000/":            RulePort,
		"http://[fd00::1%25eth0]/":           RuleZone,
		"http://me@127.0.0.1/":               RuleUserinfo,
		"ftp://127.0.0.1/":                   RuleScheme,
		"http://127.0.0.1:0/":                RulePort,
		"http://127.0.0.1:65536/":            RulePort,
		"http://localhost.localdomain:3000/": RuleReservedName,
	} {
		_, err := guard.CheckURL(raw)
		require.Equal(t, rule, RuleOf(err), "%s: %v", raw, err)
	}
	_, err := newGuard(t, "10.0.0.0/8").CheckURL("http://localhost:3000/")
	require.Equal(t, RuleReservedName, RuleOf(err), "localhost needs a hole of its own")
}

func TestNewGuard_BadRules(t *testing.T) {
	t.Parallel()
	_, err := NewGuard(Rules{AllowDestinations: []netip.Prefix{{}}})
	require.Error(t, err)
	_, err = NewGuard(Rules{AllowDestinations: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}})
	require.Error(t, err)
	_, err = NewGuard(Rules{Ports: []uint16{0}})
	require.Error(t, err)
}
