package source

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// One signature has one text, but for the case of hexadecimal and for padding:
// else a request could be sent again in other bytes.
func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		encoding encoding
		text     string
		ok       bool
	}{
		{inHex, "fBff", true},
		{inHex, "fbf", false},
		{inHex, " fbff", false},
		{inHex, "fb\nff", false},
		{inBase64, "+/8=", true},
		{inBase64, "+/8", true},
		{inBase64, "+/9=", false},
		{inBase64, "-_8=", false},
		{inBase64, "+/\n8=", false},
		{inBase64, "+/8=x", false},
		{inBase64URL, "-_8", true},
		{inBase64URL, "-_8=", true},
		{inBase64URL, "-_9", false},
		{inBase64URL, "+/8", false},
	} {
		sum, ok := test.encoding.decode(test.text)
		require.Equal(t, test.ok, ok, "%v", test)
		if ok {
			require.Equal(t, []byte{0xfb, 0xff}, sum)
		}
	}
}

func TestSecretsAreComparedWhole(t *testing.T) {
	t.Parallel()
	require.True(t, same("", ""))
	require.True(t, same("abc", "abc"))
	for _, other := range []string{"", "ab", "abcd", "abd", "ABC"} {
		require.False(t, same("abc", other))
	}
}
