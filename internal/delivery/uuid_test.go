package delivery

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseUUID_OnlyOurs(t *testing.T) {
	t.Parallel()
	id := NewID(7, time.Now(), rand.Reader)
	for _, text := range []string{id.String(), strings.ToUpper(id.String())} {
		parsed, err := ParseUUID(text)
		require.NoError(t, err)
		require.Equal(t, id, parsed)
		require.True(t, IsUUID(text))
	}
	for _, text := range []string{"", "x", "0f8fad5b-d9cb-469f-a165-70867728950e", "{" + id.String() + "}", "urn:uuid:" + id.String(), id.Format("evt")} {
		_, err := ParseUUID(text)
		require.ErrorIs(t, err, ErrInvalidID, text)
	}
	require.True(t, IsUUID("0f8fad5b-d9cb-469f-a165-70867728950e"))
	require.False(t, IsUUID("0f8fad5bd9cb469fa16570867728950e"))
}
