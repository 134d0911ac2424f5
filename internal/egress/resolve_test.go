package egress

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers over a pipe, which the resolver takes for TCP.
type nameServer struct {
	mu      sync.Mutex
	code    dnsmessage.RCode
	address netip.Addr // for A questions; none if invalid
	asked   map[string]bool
}

func (s *nameServer) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go s.serve(server)
	return client, nil
}

func (s *nameServer) serve(conn net.Conn) {
	defer conn.Close()
	var size [2]byte
	for {
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply, err := s.reply(query)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

func (s *nameServer) reply(query []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil {
		return nil, err
	}
	question := message.Questions[0]
	s.asked[question.Name.String()] = true
	message.Response, message.RecursionAvailable, message.RCode, message.Additionals = true, true, s.code, nil
	if question.Type == dnsmessage.TypeA && s.address.IsValid() {
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
			Body:   &dnsmessage.AResource{A: s.address.As4()},
		}}
	}
	return message.Pack()
}

// The machine that runs this may have no search domains, so the dot itself is looked for.
func TestResolver_AsksForTheNameAsItIs(t *testing.T) {
	t.Parallel()
	inner := resolving([]string{"93.184.216.34"})
	_, err := rootedResolver{inner}.LookupNetIP(t.Context(), "ip", "hooks.example.com")
	require.NoError(t, err)
	require.Equal(t, []string{"hooks.example.com."}, inner.asked)
}

// Through Go's real resolver: names are asked for as they are, and what it
// reports is told apart.
func TestResolver_G08_RealAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		server *nameServer
		want   string
	}{
		{&nameServer{address: netip.MustParseAddr("10.0.0.1")}, string(RuleSpecialPurpose)},
		{&nameServer{code: dnsmessage.RCodeNameError}, string(NoSuchName)},
		{&nameServer{}, string(NoSuchName)},
		{&nameServer{code: dnsmessage.RCodeServerFailure}, string(ServerFailure)},
	} {
		server := test.server
		server.asked = map[string]bool{}
		system := SystemResolver().(rootedResolver).resolver.(*net.Resolver)
		require.True(t, system.PreferGo)
		system.Dial = server.dial
		_, err := noConnect(t, newGuard(t), rootedResolver{system}).DialContext(t.Context(), "tcp", "hooks.example.com:443")
		var failed *ResolveError
		if test.want == string(RuleSpecialPurpose) {
			require.Equal(t, RuleSpecialPurpose, RuleOf(err), "%v", err)
		} else {
			require.ErrorAs(t, err, &failed)
			require.Equal(t, Failure(test.want), failed.Failure, "%v", failed.Err)
		}
		server.mu.Lock()
		require.Equal(t, map[string]bool{"hooks.example.com.": true}, server.asked, "no search domain is tried")
		server.mu.Unlock()
	}
}

func TestResolver_TellsTimeoutFromCancellation(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 16)
	hanging := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		reached <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	dialer := noConnect(t, newGuard(t), rootedResolver{hanging})
	failureOf := func(ctx context.Context) Failure {
		_, err := dialer.DialContext(ctx, "tcp", "hooks.example.com:443")
		var failed *ResolveError
		require.ErrorAs(t, err, &failed)
		return failed.Failure
	}

	withDeadline, release := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer release()
	require.Equal(t, LookupTimeout, failureOf(withDeadline))
	<-reached

	canceled, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	require.Equal(t, Canceled, failureOf(canceled))
}
