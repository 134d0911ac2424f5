package contractrun

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

// behaviour is a way in which an endpoint answers. What becomes of a delivery to
// it is each contract's to say; what an attempt meets there is not.
type behaviour struct {
	name string
	part http.Handler // nil: it has an address of its own

	status int      // that a failing attempt reads, or one where none fails; 0: none
	code   string   // why an attempt fails; "" where no contract says so
	or     []string // or why else

	// fails is how often it does, if it is asked again, before it answers with
	// 200; 0: always, or never.
	fails int
}

const failing = "http_status"

// behaviours makes the parts anew: most remember.
func behaviours() []behaviour {
	list := []behaviour{
		{name: "200", part: status(200), status: 200},
		{name: "204", part: status(204), status: 204},
		{name: "big", part: saying(200, strings.Repeat(" ", 8<<20)), status: 200},

		{name: "500", part: saying(500, strings.Repeat("no", 1500)), status: 500, code: failing},
		{name: "reset", part: always(receiver.Resetting()), code: "reset"},
		{name: "refused", code: "connect_refused"},
		{name: "tls", code: "tls"},
		// A resolver that gets no answer itself leaves nothing of the deadline.
		{name: "dns", code: "dns", or: []string{"timeout"}},

		times(1, behaviour{name: "hang", part: always(receiver.Silent()), code: "timeout"}),
		times(1, behaviour{name: "stalls after 10", part: stalling(10), status: 200, code: "timeout"}),
		times(1, behaviour{name: "stalls after 5K", part: stalling(5 << 10), status: 200, code: "timeout"}),
		times(1, behaviour{name: "stalls after 70K", part: stalling(70 << 10), status: 200, code: "timeout"}),
		times(2, behaviour{name: "broken", part: always(receiver.BreakingOff()), status: 200, code: "response_truncated"}),
		times(2, behaviour{name: "301", part: always(receiver.Redirect(301, "/elsewhere")), status: 301, code: failing}),
		times(2, behaviour{name: "307", part: always(receiver.Redirect(307, "/elsewhere")), status: 307, code: failing}),
		times(2, behaviour{name: "429", part: askingForTime(429, inSeconds), status: 429, code: failing}),
		times(2, behaviour{name: "503", part: askingForTime(503, asDate), status: 503, code: failing}),
	}
	for _, code := range []int{400, 401, 404, 405, 408, 409, 410, 413, 414, 415, 422} {
		list = append(list, times(2, behaviour{name: strconv.Itoa(code), part: status(code), status: code, code: failing}))
	}
	return list
}

// times lets the behaviour fail so often, and answer with 200 afterwards: whether
// a delivery is tried again shows at once, and in its state.
func times(n int, b behaviour) behaviour {
	parts := []http.Handler{status(200)}
	for range n {
		parts = append([]http.Handler{b.part}, parts...)
	}
	b.part, b.fails = inTurn(parts...), n
	return b
}

// statusAt is what the attempt after n others reads.
func (b behaviour) statusAt(n int) int {
	if b.fails > 0 && n >= b.fails {
		return http.StatusOK
	}
	return b.status
}

// An hour is more than any scaled contract gives.
func inSeconds() string { return "3600" }

func asDate() string { return time.Now().Add(time.Hour).UTC().Format(http.TimeFormat) }

// path is where the script plays the behaviour.
func (b behaviour) path() string { return "/" + strings.ReplaceAll(b.name, " ", "-") }

// addresses of the behaviours that no path of the script can have.
func addresses(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"refused": "http://" + refusing(t) + "/",
		"tls":     untrusted(t) + "/",
		"dns":     "https://no-such-name.example.com/",
	}
}

// refusing gives an address that nobody listens on and nobody else can take.
func refusing(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	bound, err := syscall.Getsockname(fd)
	require.NoError(t, err)
	in4 := bound.(*syscall.SockaddrInet4)
	return (&net.TCPAddr{IP: in4.Addr[:], Port: in4.Port}).String()
}

// untrusted serves with a certificate that nobody signed.
func untrusted(t *testing.T) string {
	t.Helper()
	certificate := selfSigned(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request came to an endpoint whose certificate is not trusted")
	}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// selfSigned makes a certificate that costs less time than httptest's own.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
}
