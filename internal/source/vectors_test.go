package source

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector is a record and what is expected of it.
type vector struct {
	Provider     string          `json:"provider"`
	Name         string          `json:"name"`
	Expect       Result          `json:"expect"`
	AcceptAlso   []Result        `json:"accept_also"`
	EventID      *string         `json:"event_id"`
	EventType    *string         `json:"event_type"`
	Response     *vectorResponse `json:"response"`
	MustNotFetch bool            `json:"must_not_fetch"`

	text json.RawMessage
}

type vectorResponse struct {
	Status      int             `json:"status"`
	ContentType string          `json:"content_type"`
	Body        *string         `json:"body"`
	JSON        json.RawMessage `json:"json"`
	ThenGet     string          `json:"then_get"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	file, err := os.ReadFile("testdata/inbound_vectors.json")
	require.NoError(t, err)
	var texts []json.RawMessage
	require.NoError(t, json.Unmarshal(file, &texts))
	all := make([]vector, len(texts))
	for i, text := range texts {
		require.NoError(t, json.Unmarshal(text, &all[i]))
		all[i].text = text
	}
	require.Len(t, all, 177)
	return all
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.Provider+"/"+v.Name, func(t *testing.T) {
			t.Parallel()
			record, err := ParseRecord(v.text)
			require.NoError(t, err)
			verdict, fetched, known := record.Verify()
			require.True(t, known)
			require.Contains(t, append(v.AcceptAlso, v.Expect), verdict.Result, verdict.Explain())
			require.NotEmpty(t, verdict.Explain())
			require.Contains(t, Reasons, verdict.Reason)
			require.False(t, v.MustNotFetch && fetched, "it was to be fetched")
			if v.EventID != nil {
				require.Equal(t, *v.EventID, verdict.ID)
			}
			if v.EventType != nil {
				require.Equal(t, *v.EventType, verdict.Type)
			}
			if v.Response != nil {
				checkResponse(t, *v.Response, record.Judge())
			}
			if verdict.Result == OK {
				require.NotEmpty(t, verdict.Items)
				require.NotZero(t, verdict.Response.Status)
			}
		})
	}
}

func checkResponse(t *testing.T, want vectorResponse, got Judgement) {
	t.Helper()
	require.NotNil(t, got.Response)
	require.Equal(t, want.Status, got.Response.Status)
	if want.ContentType != "" {
		require.Equal(t, want.ContentType, got.Response.ContentType)
	}
	if want.Body != nil {
		require.Equal(t, *want.Body, got.Response.Body)
	}
	if want.JSON != nil {
		require.JSONEq(t, string(want.JSON), got.Response.Body)
	}
	require.Equal(t, want.ThenGet, got.Response.ThenGet)
}
