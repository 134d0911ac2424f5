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

// The cookies. Where they are Secure, their names carry __Host-, so that no
// neighbour under the same domain can set them.
const (
	sessionCookie  = "malote"
	frameCookie    = "malote-frame" // of a session inside of a customer's page
	noticeCookie   = "malote-notice"
	themeCookie    = "malote-theme"
	languageCookie = "malote-language"
	hostPrefix     = "__Host-"
)

const (
	preferenceTime = 365 * 24 * time.Hour
	noticeTime     = time.Minute
	longestNotice  = 1500 // bytes: a cookie holds 4 KiB
	tokenBytes     = 32
)

// isSecure says whether cookies may be kept from connections without TLS: always
// but on this machine itself, where there is none.
func isSecure(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
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

func cookieName(r *http.Request, name string) string {
	if isSecure(r) {
		return hostPrefix + name
	}
	return name
}

func readCookie(r *http.Request, name string) string {
	cookie, err := r.Cookie(cookieName(r, name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets one that lasts for a time; 0: as long as the browser runs; less:
// it is removed.
func setCookie(w http.ResponseWriter, r *http.Request, name, value string, lasts time.Duration) {
	cookie := &http.Cookie{
		Name: cookieName(r, name), Value: value, Path: "/", HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteLaxMode,
	}
	if name == frameCookie {
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
func announce(w http.ResponseWriter, r *http.Request, notice page.Notice) {
	for len(notice.Text) > longestNotice {
		_, size := utf8.DecodeLastRuneInString(notice.Text)
		notice.Text = notice.Text[:len(notice.Text)-size]
	}
	encoded, err := json.Marshal(notice)
	if err != nil {
		panic("dashboard: a notice is two strings: " + err.Error())
	}
	setCookie(w, r, noticeCookie, base64.RawURLEncoding.EncodeToString(encoded), noticeTime)
}

// noticeIn is the notice that was kept, if there is one.
func noticeIn(r *http.Request) *page.Notice {
	decoded, err := base64.RawURLEncoding.DecodeString(readCookie(r, noticeCookie))
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
