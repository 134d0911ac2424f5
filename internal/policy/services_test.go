package policy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestServices_AreNobodysContract(t *testing.T) {
	t.Parallel()
	files, err := serviceFiles.ReadDir("services")
	require.NoError(t, err)
	require.Len(t, files, len(serviceNames))
	for _, name := range serviceNames {
		p := preset(t, name)
		require.Equal(t, name, p.Name)
		require.NotEmpty(t, p.Description)
		require.Equal(t, Unsigned, p.Signature.Scheme)
		require.NotContains(t, PresetNames(), name)
		require.Contains(t, AllPresetNames(), name)
		require.Zero(t, p.Circuit.Disable, "what is to be told must not be forgotten because a mail server was away for days")
	}
	require.Equal(t, Default, AllPresetNames()[0])
}

func render(t testing.TB, name, data string) map[string]string {
	t.Helper()
	body := preset(t, name).Envelope.Render(Fields{Type: "malote.x"}, []byte(data))
	read := make(map[string]string)
	require.NoError(t, json.Unmarshal(body, &read), "%s", body)
	return read
}

func TestServices_ShowTheWordsOfAnEvent(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]said{
		`{"subject":"It burns","text":"Line 1\nLine 2","n":1}`: {"It burns", "Line 1\nLine 2"},
		`{"message":"hello"}`:                          {"malote.x", "hello"},
		`{"text":7,"subject":["x"],"message":"hello"}`: {"malote.x", "hello"},
		`{"total":1.0}`:                                {"malote.x", "malote.x\n{\"total\":1.0}"},
		`[1]`:                                          {"malote.x", "malote.x\n[1]"},
		`null`:                                         {"malote.x", "malote.x\nnull"},
	} {
		require.Equal(t, map[string]string{"subject": want.subject, "text": want.text}, render(t, Email, data))
		require.Equal(t, map[string]string{"text": want.text}, render(t, Slack, data))
	}
}

// Nobody whose words are shown can call the whole channel, or show a link as what
// it is not.
func TestServices_SlackMeansNothingByWhatItIsTold(t *testing.T) {
	t.Parallel()
	data := `{"text":"<!channel> <https://evil.example|your bank> A&B"}`
	require.Equal(t, "&lt;!channel&gt; &lt;https://evil.example|your bank&gt; A&amp;B", render(t, Slack, data)["text"])
	require.Equal(t, "<!channel> <https://evil.example|your bank> A&B", render(t, Email, data)["text"])
	rapid.Check(t, func(t *rapid.T) {
		text := mrkdwn(strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 200).Draw(t, "times")))
		require.LessOrEqual(t, utf8.RuneCountInString(text), mostMrkdwn+1, "Discord takes 2,000 characters")
		require.NotContains(t, text, "<")
		require.NotContains(t, text, ">")
		require.True(t, utf8.ValidString(text))
		if cut, isCut := strings.CutSuffix(text, cutOff); isCut {
			at := strings.LastIndexByte(cut, '&')
			require.True(t, at < 0 || strings.Contains(cut[at:], ";"), "no escape is cut in the middle")
		}
	})
}

// A mail server's 4yz is asked again, its 5yz ends it, and neither is taken for
// an HTTP status of that number.
func TestServices_EmailRetriesWhatIsDeferredAlone(t *testing.T) {
	t.Parallel()
	p := preset(t, Email)
	decide := func(outcome delivery.Outcome) Decision {
		return Decide(p, Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}, outcome, accepted, always(0.5))
	}
	sent := decide(delivery.Outcome{Status: 250})
	require.Equal(t, delivery.Delivered, sent.State)
	for _, code := range []delivery.ErrorCode{delivery.SMTPDeferred, delivery.SMTPAuth, delivery.ConnectRefused, delivery.Timeout, delivery.TLS} {
		later := decide(delivery.Outcome{Status: 451, Error: code})
		if code != delivery.SMTPDeferred {
			later = decide(delivery.Outcome{Error: code})
		}
		require.Equal(t, delivery.Pending, later.State, code)
		require.Equal(t, accepted.Add(time.Minute), later.NextAttemptAt)
		require.Equal(t, code, later.ErrorCode)
		require.True(t, later.Failure, "it says that the server is not well")
	}
	refused := decide(delivery.Outcome{Status: 550, Error: delivery.SMTPRejected})
	require.Equal(t, Decision{
		State: delivery.Dead, Reason: delivery.Rejected, ErrorCode: delivery.SMTPRejected, Cause: ByRule,
	}, refused, "and says nothing of the server, which others' mails go through as well")

	byStatus, err := Parse([]byte("name: x\ndeadline: 5s\nschedule: {kind: table, waits: [1m]}\nfailures: [{on: [5xx], then: dead}]\n"))
	require.NoError(t, err)
	require.Equal(t, delivery.Pending, Decide(byStatus, Progress{CycleAttempt: 1, CycleStartedAt: accepted},
		delivery.Outcome{Status: 550, Error: delivery.SMTPRejected}, accepted, always(0)).State)
}

// What goes out unsigned is never the data (A08).
func TestAxxos_A08_NoPolicySendsDataUnsigned(t *testing.T) {
	t.Parallel()
	source := func(envelope string) []byte {
		return []byte("name: x\ndeadline: 5s\nschedule: {kind: table, waits: [1m]}\nsignature: {scheme: none}\n" + envelope)
	}
	for _, envelope := range []string{"", "envelope: {data: data}\n", "envelope: {a: id, b: data}\n"} {
		_, err := Parse(source(envelope))
		require.ErrorContains(t, err, "in place of data", envelope)
	}
	for _, envelope := range []string{"envelope: {text: text}\n", "envelope: {a: id, b: mrkdwn}\n"} {
		p, err := Parse(source(envelope))
		require.NoError(t, err)
		require.Equal(t, Unsigned, p.Signature.Scheme)
	}
	_, err := Parse(source("envelope: {text: text, data: data}\n"))
	require.ErrorContains(t, err, "exactly one member")
}
