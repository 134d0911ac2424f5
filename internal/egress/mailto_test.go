package egress

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckMailto(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"mailto:ops@example.com":        "mailto:ops@example.com",
		"MailTo:Ops+malote@example.com": "mailto:Ops+malote@example.com",
		"mailto:a.b@mail.example":       "mailto:a.b@mail.example",
	} {
		normalized, err := CheckMailto(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, normalized)
		again, err := CheckMailto(normalized)
		require.NoError(t, err)
		require.Equal(t, normalized, again)
		require.True(t, IsMailto(raw))
		require.NotContains(t, MailtoAddress(normalized), ":")
	}
	for _, raw := range []string{
		"", "mailto", "mailto:", "mailto:ops", "mailto:@example.com", "mailto:ops@", "mailto:a@b@", "mailto:ops@example.com,x@example.com",
		"mailto:ops@example.com?subject=x", "mailto:ops%40example.com", "mailto:ops@example.com%0d%0aBcc:x@example.com",
		"mailto:ops@example.com\r\nBcc: x@example.com", "mailto:\"ops\"@example.com", "mailto:<ops@example.com>", "mailto:ops@[127.0.0.1]",
		"mailto:.ops@example.com", "mailto:o..ps@example.com", "mailto:ops@-example.com", "mailto:ops@exa mple.com", "mailto:öps@example.com",
		"mailto://ops@example.com", "https://ops@example.com", "mailto:" + strings.Repeat("a", 65) + "@example.com",
		"mailto:a@" + strings.Repeat("b.", 130) + "example",
	} {
		_, err := CheckMailto(raw)
		var refused *URLError
		require.ErrorAs(t, err, &refused, raw)
		require.NotEmpty(t, refused.Advice)
	}
}
