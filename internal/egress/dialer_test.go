package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var errRecorded = errors.New("recorded")

type recordingDialer struct{ address string }

func (d *recordingDialer) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	d.address = address
	return nil, errRecorded
}

// scriptedResolver gives its answers in turn, and the last one ever after.
type scriptedResolver struct {
	mu      sync.Mutex
	answers [][]string
	asked   []string
	err     error
}

func (r *scriptedResolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, host)
	if r.err != nil {
		return nil, r.err
	}
	var answer []netip.Addr
	for _, text := range r.answers[0] {
		answer = append(answer, netip.MustParseAddr(text))
	}
	if len(r.answers) > 1 {
		r.answers = r.answers[1:]
	}
	return answer, nil
}

func resolving(answers ...[]string) *scriptedResolver { return &scriptedResolver{answers: answers} }

// receiver answers on addr, a loopback address, with the Host it was called by.
func receiver(t *testing.T, addr string) (port string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(addr, "0"))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host)
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	_, port, err = net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

func get(t *testing.T, dialer *Dialer, address string) (string, error) {
	t.Helper()
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestDialer_G08_HoleReallyConnects(t *testing.T) {
	t.Parallel()
	port := receiver(t, "127.0.0.1")
	resolver := resolving([]string{"::ffff:127.0.0.1"})
	dialer := NewDialer(newGuard(t, "127.0.0.0/8"), resolver)
	for _, host := range []string{"127.0.0.1:" + port, "localhost:" + port} {
		body, err := get(t, dialer, "http://"+host+"/")
		require.NoError(t, err)
		require.Equal(t, host, body)
	}
	require.Empty(t, resolver.asked, "neither a literal nor localhost is looked up")

	body, err := get(t, dialer, "http://hooks.example.com:"+port+"/")
	require.NoError(t, err)
	require.Equal(t, "hooks.example.com:"+port, body, "the name stays in Host")
	require.Equal(t, []string{"hooks.example.com"}, resolver.asked, "one look-up")
}

func TestDialer_G08_NameStaysInSNI(t *testing.T) {
	t.Parallel()
	names := make(chan string, 1)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { names <- r.TLS.ServerName }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	transport := server.Client().Transport.(*http.Transport)
	transport.DialContext = NewDialer(newGuard(t, "127.0.0.0/8"), resolving([]string{"127.0.0.1"})).DialContext
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com:"+port, http.NoBody)
	require.NoError(t, err)
	response, err := transport.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, "example.com", <-names)
}

// The second address of the opened range stands for a public one.
func TestDialer_G08_Rebinding(t *testing.T) {
	t.Parallel()
	port := receiver(t, "127.0.0.2")
	resolver := resolving([]string{"127.0.0.2"}, []string{"127.0.0.1"})
	dialer := NewDialer(newGuard(t, "127.0.0.2/32"), resolver)
	target := "http://hooks.example.com:" + port + "/"
	_, err := get(t, dialer, target)
	require.NoError(t, err)
	require.Len(t, resolver.asked, 1)

	_, err = get(t, dialer, target)
	var blocked *BlockedError
	require.ErrorAs(t, err, &blocked)
	require.Equal(t, "127.0.0.1", blocked.Addr.String())
	require.Equal(t, "hooks.example.com", blocked.Host)
}

// noConnect is a dialer that fails the test when it gets as far as connecting.
func noConnect(t *testing.T, guard *Guard, resolver Resolver) *Dialer {
	t.Helper()
	dialer := NewDialer(guard, resolver)
	dialer.connect = func(_ context.Context, target netip.AddrPort) (net.Conn, error) {
		t.Errorf("connected to %s", target)
		return nil, errors.New("must not be reached")
	}
	return dialer
}

func TestDialer_G08_ForbiddenAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer  []string
		rule    Rule
		address string
	}{
		{[]string{"127.0.0.1"}, RuleSpecialPurpose, "127.0.0.1"},
		{[]string{"::ffff:169.254.169.254"}, RuleSpecialPurpose, "169.254.169.254"},
		{[]string{"10.0.0.1", "fd00::1"}, RuleSpecialPurpose, "10.0.0.1"},
		{[]string{"93.184.216.34", "10.0.0.1"}, RuleMixedAnswer, "10.0.0.1"},
		{[]string{"fd00:ec2::254", "93.184.216.34"}, RuleMixedAnswer, "fd00:ec2::254"},
		{[]string{"fe80::1%eth0"}, RuleZone, "fe80::1%eth0"},
	} {
		dialer := noConnect(t, newGuard(t), resolving(test.answer))
		_, err := dialer.DialContext(t.Context(), "tcp", "hooks.example.com:443")
		var blocked *BlockedError
		require.ErrorAs(t, err, &blocked, test.answer)
		require.Equal(t, test.rule, blocked.Rule)
		require.Equal(t, test.address, blocked.Addr.String())
	}
}

func TestDialer_G08_ForbiddenHosts(t *testing.T) {
	t.Parallel()
	resolver := resolving([]string{"93.184.216.34"})
	dialer := noConnect(t, newGuard(t), resolver)
	for address, rule := range map[string]Rule{
		"127.0.0.1:443":              RuleSpecialPurpose,
		"[::ffff:127.0.0.1]:443":     RuleSpecialPurpose,
		"[2606:4700::1%eth0]:443":    RuleZone,
		"2130706433:443":             RuleNumericLabel,
		"0x7f.1:443":                 RuleNumericLabel,
		"metadata:80":                RuleSingleLabel,
		"metadata.google.internal:0": RuleReservedName,
		"①②⑦.⓪.⓪.①:443":              RuleIDNAChangedName,
		"hooks.example.com:https":    RulePort,
	} {
		_, err := dialer.DialContext(t.Context(), "tcp", address)
		require.Equal(t, rule, RuleOf(err), "%s: %v", address, err)
	}
	for _, network := range []string{"unix", "udp", "tcp6"} {
		_, err := dialer.DialContext(t.Context(), network, "172.32.0.1:443")
		require.Error(t, err)
	}
	require.Empty(t, resolver.asked)
}

// The resolver's mapped form of an A record is dialled as the IPv4 address it is.
func TestDialer_G08_DialsTheVettedAddress(t *testing.T) {
	t.Parallel()
	dialer := NewDialer(newGuard(t), resolving([]string{"::ffff:93.184.216.34"}))
	var dialled []string
	dialer.connect = func(_ context.Context, target netip.AddrPort) (net.Conn, error) {
		dialled = append(dialled, target.String())
		return nil, errRecorded
	}
	_, err := dialer.DialContext(t.Context(), "tcp", "HOOKS.example.com.:8443")
	require.ErrorIs(t, err, errRecorded)
	require.Equal(t, []string{"93.184.216.34:8443"}, dialled)
}

// Even if vetting were bypassed, the socket itself refuses.
func TestDialer_G08_ControlChecksTheAddressDialled(t *testing.T) {
	t.Parallel()
	port := receiver(t, "127.0.0.1")
	dialer := NewDialer(newGuard(t, "127.0.0.2/32"), nil)
	_, err := dialer.connectChecked(t.Context(), netip.MustParseAddrPort("127.0.0.1:"+port))
	var blocked *BlockedError
	require.ErrorAs(t, err, &blocked)
	require.Equal(t, "127.0.0.1", blocked.Addr.String())
}

func TestDialer_LookupFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err     error
		failure Failure
	}{
		{nil, NoSuchName},
		{&net.DNSError{Err: "no such host", IsNotFound: true}, NoSuchName},
		{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, ServerFailure},
		{&net.DNSError{Err: "i/o timeout", IsTimeout: true}, LookupTimeout},
		{context.DeadlineExceeded, LookupTimeout},
		{context.Canceled, Canceled},
	} {
		resolver := &scriptedResolver{answers: [][]string{{}}, err: test.err}
		_, err := noConnect(t, newGuard(t), resolver).DialContext(t.Context(), "tcp", "hooks.example.com:443")
		var failed *ResolveError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, test.failure, failed.Failure)
		require.Contains(t, strings.ToLower(failed.Error()), "hooks.example.com")
		if test.err != nil {
			require.ErrorIs(t, err, test.err)
		}
	}
}

func TestDialer_ConnectErrorIsTheNetworks(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, err = NewDialer(newGuard(t, "127.0.0.0/8"), nil).DialContext(t.Context(), "tcp", address)
	var op *net.OpError
	require.ErrorAs(t, err, &op)
	require.Empty(t, RuleOf(err))
}

func TestDialer_FallsBackToTheNextAddress(t *testing.T) {
	t.Parallel()
	port := receiver(t, "127.0.0.3")
	dialer := NewDialer(newGuard(t, "127.0.0.0/8"), resolving([]string{"127.0.0.2", "127.0.0.3"}))
	body, err := get(t, dialer, "http://hooks.example.com:"+port+"/")
	require.NoError(t, err)
	require.Equal(t, "hooks.example.com:"+port, body)
}
