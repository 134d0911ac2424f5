package sender

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// stream2 is the receiver's side of an HTTP/2 connection, frame by frame.
type stream2 struct {
	*peer
	framer  *http2.Framer
	allowed map[http2.SettingID]uint32 // the sender's settings
	open    map[uint32]*request        // requests whose end has not come
	id      uint32                     // of the request that was taken last
	attempt string                     // its webhook-attempt
}

// begin exchanges prefaces; settings are the receiver's.
func begin(p *peer, settings ...http2.Setting) *stream2 {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(p.in, preface); err != nil || string(preface) != http2.ClientPreface {
		return nil
	}
	s := &stream2{peer: p, framer: http2.NewFramer(p, p.in), allowed: map[http2.SettingID]uint32{}, open: map[uint32]*request{}}
	s.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if s.framer.WriteSettings(settings...) != nil {
		return nil
	}
	return s
}

// take reads frames until a request is complete, and counts it.
func (s *stream2) take() bool {
	for {
		frame, err := s.framer.ReadFrame()
		if err != nil {
			return false
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = frame.ForeachSetting(func(setting http2.Setting) error {
					s.allowed[setting.ID] = setting.Val
					return nil
				})
				_ = s.framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !frame.IsAck() {
				_ = s.framer.WritePing(true, frame.Data)
			}
		case *http2.MetaHeadersFrame:
			got := &request{header: http.Header{}}
			for _, field := range frame.RegularFields() {
				got.header.Add(field.Name, field.Value)
			}
			s.open[frame.StreamID] = got
			if frame.StreamEnded() {
				return s.note(frame.StreamID)
			}
		case *http2.DataFrame:
			got := s.open[frame.StreamID]
			got.body = append(got.body, frame.Data()...)
			if frame.StreamEnded() {
				return s.note(frame.StreamID)
			}
		}
	}
}

func (s *stream2) note(id uint32) bool {
	got := s.open[id]
	delete(s.open, id)
	s.id, s.attempt = id, got.header.Get("webhook-attempt")
	s.receiver.mu.Lock()
	defer s.receiver.mu.Unlock()
	s.receiver.requests = append(s.receiver.requests, *got)
	return true
}

// head sends response headers, given as name, value, name, value…
func (s *stream2) head(end bool, fields ...string) bool {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return s.block(end, block.Bytes())
}

// block sends a header block in frames of 16 KiB.
func (s *stream2) block(end bool, block []byte) bool {
	first := block[:min(len(block), 16<<10)]
	rest := block[len(first):]
	err := s.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: s.id, BlockFragment: first, EndStream: end, EndHeaders: len(rest) == 0,
	})
	for err == nil && len(rest) > 0 {
		next := rest[:min(len(rest), 16<<10)]
		rest = rest[len(next):]
		err = s.framer.WriteContinuation(s.id, len(rest) == 0, next)
	}
	return err == nil
}

// script2 runs script on every HTTP/2 connection once its first request is there.
func script2(script func(*stream2)) func(*peer) {
	return func(p *peer) {
		if s := begin(p); s != nil && s.take() {
			script(s)
			s.hold()
		}
	}
}

func serve2(t *testing.T, script func(*peer)) (*receiver, *Sender) {
	t.Helper()
	ca := newAuthority(t)
	config := ca.server(t, host, time.Now().Add(time.Hour))
	config.NextProtos = []string{"h2"}
	receiver := serveTLS(t, config, script)
	return receiver, newSender(t, Options{RootCAs: ca.pool, Resolver: answers("127.0.0.1")}, receiver.port)
}

type hazard2 struct {
	script   func(*stream2)
	policy   func(time.Duration) *policy.Policy // nil: standard
	hasty    bool
	status   int
	code     delivery.ErrorCode
	response string
}

func answers2() map[string]hazard2 {
	return map[string]hazard2{
		"200": {script: func(s *stream2) { s.head(true, ":status", "200") }, status: 200},
		"500 with a body": {script: func(s *stream2) {
			s.head(false, ":status", "500", "retry-after", "7")
			_ = s.framer.WriteData(s.id, true, []byte("sorry"))
		}, status: 500, response: "sorry"},
		"101": {script: func(s *stream2) { s.head(false, ":status", "101") }, code: delivery.Protocol},
		"1xx flood": {script: func(s *stream2) {
			for s.head(false, ":status", "103", "link", "</x>") {
			}
		}, code: delivery.Protocol},
		"headers beyond the limit": {script: func(s *stream2) {
			s.head(true, ":status", "200", "x", strings.Repeat("x", 70<<10))
		}, code: delivery.Reset},
		"header bomb": {script: func(s *stream2) {
			s.head(true, ":status", "200", "x", strings.Repeat("x", 1<<20))
		}, code: delivery.Reset},
		"continuation flood": {script: func(s *stream2) {
			_ = s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id})
			for s.framer.WriteContinuation(s.id, false, make([]byte, 16<<10)) == nil {
			}
		}, code: delivery.Reset},
		"status 99": {script: func(s *stream2) { s.head(true, ":status", "099") }, code: delivery.Protocol},
		"no status": {script: func(s *stream2) { s.head(true, "x", "y") }, code: delivery.Protocol},
	}
}

// ends2 are ways for a stream or its connection to end or not to.
func ends2() map[string]hazard2 {
	return map[string]hazard2{
		"stream refused": {script: func(s *stream2) { _ = s.framer.WriteRSTStream(s.id, http2.ErrCodeRefusedStream) }, code: delivery.Reset},
		"stream broken":  {script: func(s *stream2) { _ = s.framer.WriteRSTStream(s.id, http2.ErrCodeProtocol) }, code: delivery.Reset},
		"broken after 200 (D03)": {script: func(s *stream2) {
			s.head(false, ":status", "200")
			_ = s.framer.WriteRSTStream(s.id, http2.ErrCodeInternal)
		}, policy: dracma, status: 200, code: delivery.ResponseTruncated},
		"broken after 200 (F01)": {script: func(s *stream2) {
			s.head(false, ":status", "200")
			_ = s.framer.WriteRSTStream(s.id, http2.ErrCodeInternal)
		}, policy: fairQueue, status: 200},
		"connection gone": {script: func(s *stream2) { s.Close() }, code: delivery.Reset},
		"goaway":          {script: func(s *stream2) { _ = s.framer.WriteGoAway(0, http2.ErrCodeNo, nil); s.Close() }, code: delivery.Reset},
		"endless body": {script: func(s *stream2) {
			s.head(false, ":status", "200")
			for s.framer.WriteData(s.id, false, make([]byte, 1<<10)) == nil {
			}
		}, status: 200},
		"no answer": {script: func(*stream2) {}, hasty: true, code: delivery.Timeout},
		"no end of body": {script: func(s *stream2) {
			s.head(false, ":status", "200")
		}, hasty: true, status: 200, code: delivery.Timeout},
		"no frames": {script: func(s *stream2) { s.say("HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat(" ", 1<<15)) }, code: delivery.Reset},
	}
}

// What breaks the rules of HTTP/2 for a whole connection makes net/http close
// it, with an error that has no type: that is a reset, like the other ways for a
// connection to end before the answer began.
func TestSend_HTTP2_HostileEndpoint(t *testing.T) {
	t.Parallel()
	hazards := answers2()
	maps.Copy(hazards, ends2())
	for name, c := range hazards {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deadline, contract := patient, standard
			if c.hasty {
				deadline = hasty
			}
			if c.policy != nil {
				contract = c.policy
			}
			receiver, sender := serve2(t, script2(c.script))
			outcome := send(t, sender, claimFor(receiver.named(host)), contract(deadline))
			require.Equal(t, c.code, outcome.Error, "%+v", outcome)
			require.Equal(t, c.status, outcome.Status)
			require.Equal(t, c.response, string(outcome.Response))
			if !c.hasty {
				require.Less(t, outcome.Duration, patient/2)
			}
			_, requests := receiver.seen()
			require.LessOrEqual(t, requests, 1, "one attempt is one request")
		})
	}
}

// A request without a body is one that net/http sends again by itself when an
// HTTP/2 endpoint gives it back, up to seven times.
func TestSend_HTTP2_NeverRepeatsARequestByItself(t *testing.T) {
	t.Parallel()
	for _, code := range []http2.ErrCode{http2.ErrCodeRefusedStream, http2.ErrCodeProtocol} {
		for _, body := range []string{"", "{}"} {
			receiver, sender := serve2(t, func(p *peer) {
				for s := begin(p); s != nil && s.take(); {
					_ = s.framer.WriteRSTStream(s.id, code)
				}
			})
			claim := claimFor(receiver.named(host))
			claim.Event.Body = []byte(body)
			outcome := send(t, sender, claim, standard(patient))
			require.Equal(t, delivery.Reset, outcome.Error, "%+v", outcome)
			require.Less(t, outcome.Duration, patient/2)
			_, requests := receiver.seen()
			require.Equal(t, 1, requests)
		}
	}
}

// An endpoint that closes its windows takes no body.
func TestSend_HTTP2_NeverReads(t *testing.T) {
	t.Parallel()
	for name, window := range map[string]uint32{"window closed": 0, "window never opened again": 65535} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver, sender := serve2(t, func(p *peer) {
				if s := begin(p, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}); s != nil {
					s.take()
				}
			})
			claim := claimFor(receiver.named(host))
			claim.Event.Body = make([]byte, 1<<20)
			require.Equal(t, delivery.Timeout, send(t, sender, claim, standard(hasty)).Error)
		})
	}
}

// An endpoint that allows no stream at all costs one deadline, not a
// storm of connections.
func TestSend_HTTP2_NoStreamsAllowed(t *testing.T) {
	t.Parallel()
	receiver, sender := serve2(t, func(p *peer) {
		if s := begin(p, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0}); s != nil {
			for s.take() {
			}
		}
	})
	for range 3 {
		outcome := send(t, sender, claimFor(receiver.named(host)), standard(hasty))
		require.NotEmpty(t, outcome.Error)
	}
	conns, _ := receiver.seen()
	require.LessOrEqual(t, conns, 3*maxDials)
}

// What an endpoint may send before anyone reads is what net/http holds for it.
func TestSend_HTTP2_WindowsAreSmall(t *testing.T) {
	t.Parallel()
	allowed := make(chan map[http2.SettingID]uint32, 1)
	receiver, sender := serve2(t, script2(func(s *stream2) {
		allowed <- s.allowed
		s.head(true, ":status", "200")
	}))
	require.Equal(t, 200, send(t, sender, claimFor(receiver.named(host)), standard(patient)).Status)
	got := <-allowed
	require.LessOrEqual(t, got[http2.SettingInitialWindowSize], uint32(64<<10))
	require.LessOrEqual(t, got[http2.SettingMaxHeaderListSize], uint32(65<<10))
	require.Zero(t, got[http2.SettingEnablePush])
}

// Many attempts share one connection, and one that hangs does not hold the others up.
func TestSend_HTTP2_Shared(t *testing.T) {
	t.Parallel()
	const most = 20
	receiver, sender := serve2(t, func(p *peer) {
		s := begin(p)
		for s != nil && s.take() {
			if s.attempt != "1" {
				s.head(true, ":status", "200")
			}
		}
	})
	var attempts sync.WaitGroup
	for number := range most {
		attempts.Go(func() {
			claim := claimFor(receiver.named(host))
			claim.Attempt = number + 1
			p := standard(2 * time.Second)
			outcome := sender.Send(t.Context(), claim, p, time.Now())
			if number == 0 {
				assertEqual(t, delivery.Timeout, outcome.Error)
				return
			}
			if outcome.Status != 200 {
				t.Errorf("%+v", outcome)
			}
		})
	}
	attempts.Wait()
	_, requests := receiver.seen()
	require.Equal(t, most, requests)
}

func assertEqual[T comparable](t testing.TB, want, got T) {
	t.Helper()
	if got != want {
		t.Errorf("want %v, got %v", want, got)
	}
}
