package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/dashboard/page"
)

// The cookies, by their names outside of frames. Where they are Secure, their
// names carry __Host-, so that no neighbour under the same domain can set them.
const (
	sessionCookie  = "malote"
	noticeCookie   = "malote-notice"
	themeCookie    = "malote-theme"
	languageCookie = "malote-language"
	hostPrefix     = "__Host-"
	frameSuffix    = "-frame"
)

const (
	preferenceTime = 365 * 24 * time.Hour
	noticeTime     = time.Minute
	longestNotice  = 1500 // bytes: a cookie holds 4 KiB
	tokenBytes     = 32
)

// cookies are those of one request. Inside of a customer's page they are others:
// ones that browsers keep apart by the page around, and send nowhere else.
type cookies struct {
	r      *http.Request
	framed bool
}

// isSecure says whether cookies may be kept from connections without TLS: always
// but on this machine itself, where there is none unless a proxy says so.
func isSecure(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if r.Header.Get("X-Forwarded-Proto") == "https" {
		return true // whoever says so gets stricter cookies, nothing else
	}
	if host == "localhost" {
		return false
	}
	address, err := netip.ParseAddr(trimBrackets(host))
	return err != nil || !address.IsLoopback()
}

func trimBrackets(host string) string {
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1]
	}
	return host
}

func (c cookies) name(name string) string {
	if c.framed {
		name += frameSuffix
	}
	if isSecure(c.r) {
		return hostPrefix + name
	}
	return name
}

func (c cookies) read(name string) string {
	cookie, err := c.r.Cookie(c.name(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// set sets one that lasts for a time; 0: as long as the browser runs; less: it is
// removed.
func (c cookies) set(w http.ResponseWriter, name, value string, lasts time.Duration) {
	cookie := &http.Cookie{
		Name: c.name(name), Value: value, Path: "/", HttpOnly: true, Secure: isSecure(c.r), SameSite: http.SameSiteLaxMode,
	}
	if c.framed {
		cookie.SameSite, cookie.Secure, cookie.Partitioned = http.SameSiteNoneMode, true, true
	}
	switch {
	case lasts < 0:
		cookie.MaxAge = -1
	case lasts > 0:
		cookie.MaxAge = int(lasts / time.Second)
	}
	http.SetCookie(w, cookie)
}

// newToken makes what somebody proves with that a session or a link is theirs.
func newToken() string {
	var token [tokenBytes]byte
	_, _ = rand.Read(token[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(token[:])
}

// hashOf is what is stored of a token.
func hashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// formToken proves that a form was made for the session: nobody else can compute
// it, and it does not tell the session's token.
func formToken(session string) string {
	if session == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte("malote form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// announce keeps a notice for the page that comes next.
func (c cookies) announce(w http.ResponseWriter, notice page.Notice) {
	for len(notice.Text) > longestNotice {
		_, size := utf8.DecodeLastRuneInString(notice.Text)
		notice.Text = notice.Text[:len(notice.Text)-size]
	}
	encoded, err := json.Marshal(notice)
	if err != nil {
		panic("dashboard: a notice is two strings: " + err.Error())
	}
	c.set(w, noticeCookie, base64.RawURLEncoding.EncodeToString(encoded), noticeTime)
}

// notice is the one that was kept, if there is one.
func (c cookies) notice() *page.Notice {
	decoded, err := base64.RawURLEncoding.DecodeString(c.read(noticeCookie))
	if err != nil || len(decoded) == 0 {
		return nil
	}
	var notice page.Notice
	if json.Unmarshal(decoded, &notice) != nil || notice.Kind != page.Done && notice.Kind != page.Failed {
		return nil
	}
	return &notice
}

// originOf is the origin of an address, as browsers send it.
func originOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	return parsed.Scheme + "://" + parsed.Host
}
